/**
 * A supervisor of a group with two partitions, or of plain elections in two cohorts, between its client, its store and its cohorts.
 * What its cohorts are still to be told is a fact, and stays finite because nothing new is wanted while more than one thing waits.
 */
import {
  type Context,
  cohortId,
  type Event,
  type GroupSpec,
  groupSupervisorMachine,
} from '../../../src/machines/groupSupervisor.ts'
import {
  answers,
  answersOddly,
  comes,
  type Ending,
  FAILS,
  type Fact,
  type Happening,
  type Surroundings,
  told,
  wait,
} from '../surroundings.ts'
import { orderText, tellingOrders } from './orders.ts'

const MOST_ORDERS = 1
const GROUP: GroupSpec = {
  name: 'billing',
  partitions: 2,
  work: 'billing',
  balance: 'hashed',
  restMs: 15_000,
  retryMs: 5_000,
}
/** The one that may rest, and the other. */
const [FIRST, SECOND] = [0, 1]
const COHORTS = [0, 1]

const partition = (number: number): Fact<Context> => ({
  why: `what this member has to do with the partition ${number}`,
  from: ['mine', 'resting'],
  of({ mine, resting }) {
    if (resting.includes(number)) return mine.includes(number) ? 'mine, and resting' : 'resting'
    return mine.includes(number) ? 'mine' : 'not mine'
  },
})
const cohort = (index: number): Fact<Context> => ({
  why: 'it is told, and waited for',
  from: ['cohorts'],
  of: ({ cohorts }) => (cohorts.includes(index) ? 'there' : 'none'),
})

const tell = (event: Event, note?: string) => told(event, note)

function view(version: number, mine: readonly number[], isMember = true): Ending {
  const note = isMember ? `mine are [${mine.join(', ')}]` : 'not a member'
  return answers(note, { version, members: ['a', 'b'], isMember, mine })
}

function ofPlain({ cohorts, orders }: Context): readonly Happening[] {
  // They are filled one after the other.
  const known = COHORTS.filter((cohort) => cohort <= cohorts.length)
  const wishes = known.flatMap((cohort) => {
    const id = `ingest.${cohort}`
    const input = { lease: id, work: id, ends: 'when-stopped', restMs: GROUP.restMs } as const
    return [
      tell({ type: 'children.start', cohort, children: [{ kind: 'election', id, input }] }, id),
      tell({ type: 'children.stop', cohort, ids: [id] }, id),
    ]
  })
  return [
    ...(orders.length > MOST_ORDERS ? [] : wishes),
    ...(cohorts.length > 0 ? [tell({ type: 'child.ended', id: 'ingest.0' })] : []),
  ]
}

function ofGroup({ version, cohorts, resting }: Context): readonly Happening[] {
  return [
    tell({ type: 'group.changed', group: GROUP.name }, 'somebody says so'),
    tell({ type: 'group.changed', group: GROUP.name, version }, 'the version that was seen'),
    tell({ type: 'group.changed', group: GROUP.name, version: version + 1 }, 'another version'),
    ...(resting.includes(FIRST)
      ? [tell({ type: 'partition.rested', partition: FIRST })]
      : cohorts.map(() => tell({ type: 'partition.resting', partition: FIRST }))),
  ]
}

/** Cohorts that have been told to stop: nobody ends before. */
function isToldToStop(id: string, { orders }: Context): boolean {
  return !orders.some(({ cohort, command }) => cohortId(cohort) === id && command.type === 'cohort.stop')
}

export const groupSupervisor: Surroundings<typeof groupSupervisorMachine> = {
  machine: groupSupervisorMachine,
  starts: {
    'for a group, with a session': { group: GROUP, session: 's' },
    'for a group, without a session': { group: GROUP, session: null },
    'for plain elections, with a session': { group: null, session: 's' },
    'for plain elections, without a session': { group: null, session: null },
  },
  asFacts: ['pace'],
  facts: {
    of: {
      why: 'plain elections have no members',
      from: ['group'],
      of: ({ group }) => (group ? 'a group' : 'elections'),
    },
    session: { why: 'there is one to be a member with', of: ({ session }) => (session === null ? 'none' : 'live') },
    [`partition ${FIRST}`]: partition(FIRST),
    [`partition ${SECOND}`]: partition(SECOND),
    'cohort 0': cohort(0),
    'cohort 1': cohort(1),
    orders: {
      why: 'what the cohorts are still to be told, one thing a turn',
      of: ({ orders }) => orders.map(orderText).join('; ') || 'none',
    },
  },
  leftOut: {
    version: 'is only compared with the one that is told',
    wanted: 'differs from `mine` only while it changes',
    attempt: 'makes waits longer, and no more',
    living: 'is only reported',
  },
  unsaid: [
    'session',
    'group',
    'partitions',
    'balance',
    'attempt',
    'forMs',
    'work',
    'schedule',
    'restMs',
    'living',
    'view',
    'before',
    'after',
    'kind',
    'input',
    'holds',
    'resting',
  ],
  comes: ({ context }) => [
    tell({ type: 'supervisor.stop' }),
    ...(context.group ? ofGroup(context) : ofPlain(context)),
    tell({ type: 'leases.freed', leases: ['billing.0'] }),
    tell({ type: 'session.opened', session: 's' }),
    tell({ type: 'session.lost', session: 's', reason: 'expired' }),
    tell({ type: 'store.restarted', session: 's', holds: {} }),
    comes({ type: 'timer.due', dueMs: 0, nowMs: 0 } satisfies Event),
  ],
  ends: {
    join: () => [
      answers('joined', { kind: 'joined' }),
      answers('mismatch', { kind: 'mismatch', partitions: 4 }),
      answers('unknown', { kind: 'unknown' }),
      answersOddly('stale', { kind: 'stale' }),
      FAILS,
    ],
    leave: () => [
      answers('left', { kind: 'left' }),
      answers('unknown', { kind: 'unknown' }),
      answersOddly('stale', { kind: 'stale' }),
      FAILS,
    ],
    view: ({ context: { version, orders } }) => [
      ...(orders.length > MOST_ORDERS ? [] : [[], [FIRST], [SECOND]].map((mine) => view(version + 1, mine))),
      view(version + 1, [], false),
      FAILS,
    ],
    cohort: (snapshot, id) =>
      snapshot.matches({ children: 'stopping' }) && isToldToStop(id, snapshot.context)
        ? [answers('over'), FAILS]
        : [FAILS],
    backoff: wait,
    pause: wait,
  },
  readable: tellingOrders,
  over: ({ children, context: { cohorts } }) =>
    Object.keys(children).filter((id) => id.startsWith('cohort.') && !cohorts.some((index) => cohortId(index) === id)),
}
