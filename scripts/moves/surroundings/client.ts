/** A client with an election, a lock's election and a group to declare, between its user, its session and its supervisors. */
import {
  type Context,
  clientMachine,
  ELECTIONS,
  type Event,
  groupId,
  type TaskSpec,
} from '../../../src/machines/client.ts'
import { answers, FAILS, type Fact, type Happening, type Surroundings, told, wait } from '../surroundings.ts'

const REST_MS = 15_000
const election = (id: string, survives: 'stop' | 'nothing'): TaskSpec => ({
  kind: 'child',
  id,
  number: 0,
  child: { kind: 'election', id, input: { lease: id, work: id, ends: 'when-stopped', restMs: REST_MS } },
  survives,
})
const LASTING = election('ingest', 'stop')
const TRANSIENT = election('lock', 'nothing')
const GROUP: TaskSpec = {
  kind: 'group',
  id: groupId('billing'),
  group: { name: 'billing', partitions: 2, work: 'billing', balance: 'hashed', restMs: REST_MS, retryMs: 5_000 },
}
const TASKS = [LASTING, TRANSIENT, GROUP]

const isDeclared = (id: string, tasks: Context['tasks']) => tasks.some((task) => task.id === id)
const task = ({ id }: TaskSpec, why: string): Fact<Context> => ({
  why,
  from: ['tasks', 'ended'],
  of({ tasks, ended }) {
    if (!isDeclared(id, tasks)) return 'none'
    return ended.includes(id) ? 'quiet' : 'declared'
  },
})
const supervisor = (id: string): Fact<Context> => ({
  why: 'it is told, and waited for',
  from: ['supervisors'],
  of: ({ supervisors }) => (supervisors.includes(id) ? 'there' : 'none'),
})
const tell = (event: Event, note?: string) => told(event, note)

/** The ends of a supervisor that is not there any more. */
const LATE: readonly Happening[] = [
  {
    ...tell({ type: `xstate.done.actor.${ELECTIONS}`, output: undefined, actorId: ELECTIONS }),
    label: 'elections: over, late',
  },
  {
    ...tell({ type: `xstate.error.actor.${ELECTIONS}`, error: FAILS.error, actorId: ELECTIONS }),
    label: 'elections: failed, late',
  },
]

export const client: Surroundings<typeof clientMachine> = {
  machine: clientMachine,
  starts: { 'as it is created': { renewIntervalMs: 5_000, leaseDurationMs: REST_MS } },
  facts: {
    election: task(LASTING, 'what was declared runs, and again after a stop'),
    lock: task(TRANSIENT, 'what does not survive a stop is forgotten with it'),
    group: task(GROUP, 'what was declared runs, and again after a stop'),
    elections: supervisor(ELECTIONS),
    'group supervisor': supervisor(GROUP.id),
    session: { why: 'a group that is declared is given it', of: ({ session }) => (session === null ? 'none' : 'live') },
  },
  leftOut: {
    renewIntervalMs: 'is the length of a wait',
    leaseDurationMs: 'is the length of a wait',
    pollIntervalMs: 'is for the session',
  },
  unsaid: [
    'cohort',
    'kind',
    'input',
    'tasks',
    'session',
    'reason',
    'renewIntervalMs',
    'pollIntervalMs',
    'group',
    'forMs',
    'error',
    'holds',
  ],
  comes: ({ context: { tasks, supervisors }, children }) => [
    tell({ type: 'START' }),
    tell({ type: 'STOP' }),
    // A name can be declared again when the runtime has heard that its task has ended.
    ...TASKS.filter(({ id }) => !isDeclared(id, tasks) && !supervisors.includes(id)).map((task) =>
      tell({ type: 'task.start', task }, task.id),
    ),
    ...TASKS.map(({ id }) => tell({ type: 'task.stop', id }, id)),
    tell({ type: 'lease.freed', lease: 'ingest' }, 'of the election'),
    tell({ type: 'lease.freed', lease: 'billing.0' }, 'of the group'),
    tell({ type: 'members.changed', group: 'billing' }),
    // What was said before the client stopped or failed may be heard after it.
    ...[LASTING, TRANSIENT].map(({ id }) => tell({ type: 'child.ended', id }, id)),
    tell({ type: 'session.opened', session: 's' }),
    tell({ type: 'session.lost', session: 's', reason: 'expired' }),
    tell({ type: 'store.restarted', session: 's', holds: {} }),
    tell({ type: 'inbox.read', inbox: { freed: ['ingest', 'billing.0'], groups: { billing: 2 } } }),
    ...(children.session ? [] : LATE),
    tell({ type: 'session.doubted' }),
    tell({ type: 'session.revoked' }),
  ],
  ends: {
    session: (snapshot) =>
      snapshot.matches({ active: { stopping: { order: 'closing' } } }) ? [answers('closed'), FAILS] : [FAILS],
    // A supervisor is over once it was told to stop: with the client, or with its task.
    supervisor: (snapshot, id) =>
      snapshot.matches({ active: 'stopping' }) || (id !== ELECTIONS && !isDeclared(id, snapshot.context.tasks))
        ? [answers('over'), FAILS]
        : [FAILS],
    pause: wait,
  },
}
