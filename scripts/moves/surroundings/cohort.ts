/** A cohort with at most one child of each kind, between its supervisor, its session and these children. */
import { type ChildSpec, type Context, cohortMachine, type Event } from '../../../src/machines/cohort.ts'
import { answers, FAILS, type Fact, type Surroundings, told } from '../surroundings.ts'

const REST_MS = 15_000
const ELECTION: ChildSpec = {
  kind: 'election',
  id: 'ingest',
  input: { lease: 'ingest', work: 'ingest', ends: 'when-stopped', restMs: REST_MS },
}
const PARTITION: ChildSpec = {
  kind: 'partition',
  id: 'billing.0',
  input: { lease: 'billing.0', partition: 0, work: 'billing', restMs: REST_MS },
}
const OBSERVER: ChildSpec = {
  kind: 'observer',
  id: 'watch',
  input: { observer: 'watch', lease: 'ingest', everyMs: 5_000 },
}
const CHILDREN = [ELECTION, PARTITION, OBSERVER]

const WORDS = {
  'election.stop': 'told to stop',
  'partition.stop': 'told to stop',
  'partition.unassign': 'told to leave',
  'observer.stop': 'told to stop',
} as const

const child = ({ kind, id }: ChildSpec): Fact<Context> => ({
  why: `whether the ${kind} is there, and what it was told to end with`,
  from: ['children'],
  of({ children }) {
    const child = children.find(({ spec }) => spec.id === id)
    if (!child) return 'none'
    return child.told ? WORDS[child.told.type] : 'there'
  },
})
const tell = (event: Event, note?: string) => told(event, note)

export const cohort: Surroundings<typeof cohortMachine> = {
  machine: cohortMachine,
  starts: { 'with a session': { session: 's' }, 'without a session': { session: null } },
  facts: {
    session: { why: 'a child that begins is given it', of: ({ session }) => (session === null ? 'none' : 'live') },
    election: child(ELECTION),
    partition: child(PARTITION),
    observer: child(OBSERVER),
  },
  leftOut: {},
  unsaid: ['lease', 'partition', 'work', 'observer', 'everyMs', 'restMs', 'session', 'ends', 'error', 'holds'],
  comes: ({ context: { children } }) => [
    ...CHILDREN.map((child) => tell({ type: 'children.start', children: [child] }, `the ${child.kind}`)),
    // A partition is told to leave, or is stopped with all others.
    tell({ type: 'children.stop', ids: [ELECTION.id] }, 'the election'),
    tell({ type: 'children.stop', ids: [OBSERVER.id] }, 'the observer'),
    tell({ type: 'children.unassign', ids: [PARTITION.id] }, 'the partition'),
    tell({ type: 'cohort.stop' }),
    tell({ type: 'leases.freed', leases: [ELECTION.id, PARTITION.id, 'other'] }),
    tell({ type: 'session.opened', session: 's' }),
    tell({ type: 'session.lost', session: 's', reason: 'expired' }),
    tell({ type: 'store.restarted', session: 's', holds: {} }),
    ...(children.some(({ spec }) => spec.kind === 'partition')
      ? [tell({ type: 'partition.resting', partition: 0 }), tell({ type: 'partition.rested', partition: 0 })]
      : []),
  ],
  ends: {
    election: () => [answers('over'), FAILS],
    partition: () => [answers('over'), FAILS],
    observer: () => [answers('over'), FAILS],
  },
  over: ({ children, context }) =>
    Object.keys(children).filter((id) => !context.children.some(({ place }) => place === id)),
}
