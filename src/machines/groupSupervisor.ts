/**
 * A group: this client's membership, its view of the members, and the partitions that the view gives to it. A client's plain
 * elections have a supervisor, too: the one without members. What is supervised lives in cohorts.
 */
import {
  assertEvent,
  assign,
  type DoneActorEvent,
  type ErrorActorEvent,
  raise,
  sendParent,
  setup,
  stateIn,
} from 'xstate'
import type { JoinAnswer, LeaveAnswer } from '../model/answers.ts'
import { partitionLease, partitionOf } from '../model/names.ts'
import type { Schedule } from '../model/schedule.ts'
import { type ChildSpec, COHORT_SIZE, type CohortCommand, type CohortFact, cohortMachine } from './cohort.ts'
import type { SessionFact } from './facts.ts'
import type { TimerDue } from './scheduleLoop.ts'
import { call, effect } from './slots.ts'

export interface GroupSpec {
  readonly name: string
  readonly partitions: number
  readonly work: string
  readonly schedule?: Schedule
  readonly balance: 'hashed' | 'bounded'
  readonly restMs: number
  /** Between two attempts to join a group whose members have another number of partitions. */
  readonly retryMs: number
}

export interface GroupSupervisorInput {
  /** `null` for the supervisor of the plain elections. */
  readonly group: GroupSpec | null
  readonly session: string | null
}

/** The members as this client saw them last, and what follows for it. */
export interface View {
  readonly version: number
  readonly members: readonly string[]
  readonly isMember: boolean
  readonly mine: readonly number[]
}

export interface Context extends GroupSupervisorInput {
  readonly version: number
  /** Partitions that this member runs in its latest view. */
  readonly mine: readonly number[]
  /** What it should run; differs from `mine` only while it changes. */
  readonly wanted: readonly number[]
  /** Partitions that this member stays away from. */
  readonly resting: readonly number[]
  readonly attempt: number
  readonly cohorts: readonly number[]
  /** What the cohorts are still to be told, one a turn. */
  readonly orders: readonly Order[]
  readonly living: number
}

interface Order {
  readonly cohort: number
  readonly command: CohortCommand
}

export type SupervisorCommand =
  /** For plain elections; `cohort` says which one takes them. */
  | { readonly type: 'children.start'; readonly cohort: number; readonly children: readonly ChildSpec[] }
  | { readonly type: 'children.stop'; readonly cohort: number; readonly ids: readonly string[] }
  | { readonly type: 'supervisor.stop' }
  | { readonly type: 'leases.freed'; readonly leases: readonly string[] }
  /** Without a version: somebody says that the members have changed. */
  | { readonly type: 'group.changed'; readonly group: string; readonly version?: number }

export type Event =
  | SessionFact
  | SupervisorCommand
  | CohortFact
  | TimerDue
  /** Among the regions of this machine: the others have been told that this member goes, or cannot be told now. */
  | { readonly type: 'membership.given-up' }
  | DoneActorEvent<JoinAnswer, 'join'>
  | ErrorActorEvent<unknown, 'join'>
  | DoneActorEvent<LeaveAnswer, 'leave'>
  | ErrorActorEvent<unknown, 'leave'>
  | DoneActorEvent<View, 'view'>
  | ErrorActorEvent<unknown, 'view'>
  | DoneActorEvent<unknown, `cohort.${number}`>

export interface GroupCall {
  readonly session: string | null
  readonly group: string
}

export const cohortId = (index: number) => `cohort.${index}`
/** Neighbours are together. */
export const cohortOfPartition = (partition: number) => Math.floor(partition / COHORT_SIZE)

const supervisorSetup = setup({
  types: {
    input: {} as GroupSupervisorInput,
    context: {} as Context,
    events: {} as Event,
  },
  actors: {
    cohort: cohortMachine,
    join: call<JoinAnswer, GroupCall & { readonly partitions: number; readonly resting: readonly number[] }>('join'),
    /** Waits before a repeated attempt by itself. */
    leave: call<LeaveAnswer, GroupCall & { readonly attempt: number }>('leave'),
    /** Asks for the members and works out the assignment. */
    view: call<View, GroupCall & Pick<GroupSpec, 'partitions' | 'balance'>>('view'),
    backoff: call<void, { readonly attempt: number }>('backoff'),
    pause: call<void, { readonly forMs: number }>('pause'),
  },
  actions: {
    /** Wakes this actor in its next turn. Not an actor, whose spawning would copy the list of all cohorts. */
    awaitTurn: effect('awaitTurn'),
    disarmTimer: effect('disarmTimer'),
    reportMembers: effect<{ readonly group: string; readonly view: View }>('reportMembers'),
    reportAssignment: effect<{
      readonly group: string
      readonly before: readonly number[]
      readonly after: readonly number[]
    }>('reportAssignment'),
    reportMismatch: effect<{ readonly group: string; readonly partitions: number; readonly living: number }>(
      'reportMismatch',
    ),
    noteSession: assign(({ event }) => {
      assertEvent(event, 'session.opened')
      return { session: event.session, attempt: 0 }
    }),
    noteLoss: assign({ session: null }),
    noteResting: assign(({ context, event }) => {
      assertEvent(event, 'partition.resting')
      const { group, mine, resting, orders } = context
      const waiting = without(waitingIn(orders), [event.partition])
      return {
        resting: [...resting, event.partition],
        wanted: without(mine, [event.partition]),
        orders: [...withoutStarts(orders), ...startsOf(group!, waiting)],
      }
    }),
    noteRested: assign(({ context, event }) => {
      assertEvent(event, 'partition.rested')
      return { resting: context.resting.filter((p) => p !== event.partition) }
    }),
    noteVersion: assign((_, { version }: View) => ({ version })),
    noteWanted: assign(({ context }, { mine }: View) => ({ wanted: without(mine, context.resting) })),
    wantNone: assign({ wanted: [] }),
    orderStart: assign(({ context, event }) => {
      assertEvent(event, 'children.start')
      const { cohort, children } = event
      return { orders: [...context.orders, { cohort, command: { type: 'children.start', children } as const }] }
    }),
    orderStop: assign(({ context, event }) => {
      assertEvent(event, 'children.stop')
      const { cohort, ids } = event
      if (!context.cohorts.includes(cohort)) return {}
      return { orders: [...context.orders, { cohort, command: { type: 'children.stop', ids } as const }] }
    }),
    orderChanges: assign(({ context }) => ({ orders: [...withoutStarts(context.orders), ...changes(context)] })),
    dropStarts: assign(({ context }) => ({ orders: withoutStarts(context.orders) })),
    /** Whatever else they were to be told is of no use any more. */
    orderEnd: assign(({ context }) => ({
      orders: context.cohorts.map((cohort) => ({ cohort, command: { type: 'cohort.stop' } as const })),
    })),
    noteMine: assign({ mine: ({ context }) => context.wanted }),
    noteMismatch: assign((_, answer: JoinAnswer) => (answer.kind === 'mismatch' ? { living: answer.partitions } : {})),
    countFailure: assign({ attempt: ({ context }) => context.attempt + 1 }),
    clearFailures: assign({ attempt: 0 }),
    forgetCohort: assign(({ context }, { id }: { id: string }) => ({
      cohorts: context.cohorts.filter((index) => cohortId(index) !== id),
    })),
    giveUpMembership: raise({ type: 'membership.given-up' }),
    tellEnded: sendParent(({ event }) => event),
  },
  guards: {
    isPlain: ({ context }) => context.group === null,
    hasSession: ({ context }) => context.session !== null,
    hasJoined: (_, answer: JoinAnswer) => answer.kind === 'joined',
    isMismatched: (_, answer: JoinAnswer) => answer.kind === 'mismatch',
    hasLeft: (_, answer: LeaveAnswer) => answer.kind !== 'stale',
    isMember: (_, view: View) => view.isMember,
    isNews: ({ context, event }) => event.type === 'group.changed' && event.version !== context.version,
    hasNoCohorts: ({ context }) => context.cohorts.length === 0,
    hasOrders: ({ context }) => context.orders.length > 0,
    hasNoChildren: stateIn({ children: 'none' }),
  },
})

function partitionChild(group: GroupSpec, partition: number): ChildSpec {
  const lease = partitionLease(group.name, partition)
  const { work, schedule, restMs } = group
  return { kind: 'partition', id: lease, input: { lease, partition, work, schedule, restMs } }
}

function byCohort(partitions: readonly number[]): Map<number, number[]> {
  const cohorts = new Map<number, number[]>()
  for (const partition of partitions) {
    const index = cohortOfPartition(partition)
    const members = cohorts.get(index)
    if (members) members.push(partition)
    else cohorts.set(index, [partition])
  }
  return cohorts
}

function leasesByCohort({ name, partitions }: GroupSpec, leases: readonly string[]) {
  const freed = leases.map((lease) => partitionOf(name, partitions, lease)).filter((partition) => partition !== null)
  return [...byCohort(freed)].map(([index, partitions]) => {
    const leases = partitions.map((partition) => partitionLease(name, partition))
    return [index, leases] as const
  })
}

function without(partitions: readonly number[], others: readonly number[]): readonly number[] {
  const left = new Set(others)
  return partitions.filter((partition) => !left.has(partition))
}

function withoutStarts(orders: readonly Order[]): readonly Order[] {
  return orders.filter(({ command }) => command.type !== 'children.start')
}

/**
 * From what is started to what is wanted: what is lost starts its handover before what is gained campaigns. A start that has yet to be
 * ordered is taken back for that, so that the first of many members need not lead first what it hands over next.
 */
function changes({ group, mine, wanted, orders }: Context): readonly Order[] {
  const started = without(mine, waitingIn(orders))
  const lost = [...byCohort(without(started, wanted))].map(([cohort, partitions]): Order => {
    const ids = partitions.map((partition) => partitionLease(group!.name, partition))
    return { cohort, command: { type: 'children.unassign', ids } }
  })
  return [...lost, ...startsOf(group!, without(wanted, started))]
}

function startsOf(group: GroupSpec, partitions: readonly number[]): readonly Order[] {
  return [...byCohort(partitions)].map(([cohort, members]) => {
    const children = members.map((partition) => partitionChild(group, partition))
    return { cohort, command: { type: 'children.start', children } }
  })
}

/** Partitions whose start has yet to be ordered. */
function waitingIn(orders: readonly Order[]): readonly number[] {
  return orders.flatMap(({ command }) => {
    const children = command.type === 'children.start' ? command.children : []
    return children.flatMap((child) => (child.kind === 'partition' ? child.input.partition : []))
  })
}

const supervisor = supervisorSetup.extend({
  actions: {
    ensureCohorts: supervisorSetup.assign(({ context, event, spawn }) => {
      const indexes = event.type === 'children.start' ? [event.cohort] : [...byCohort(context.wanted).keys()]
      const fresh = without(indexes, context.cohorts)
      for (const index of fresh) spawn('cohort', { id: cohortId(index), input: { session: context.session } })
      return { cohorts: [...context.cohorts, ...fresh] }
    }),
    giveNextOrder: supervisorSetup.enqueueActions(({ context, enqueue }) => {
      const [next, ...others] = context.orders
      enqueue.assign({ orders: others })
      if (next) enqueue.sendTo(cohortId(next.cohort), next.command)
    }),
    /** To those that can have them: of thousands of partitions that are handed over, each is news to one cohort. */
    offer: supervisorSetup.enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'leases.freed')
      const { group, cohorts } = context
      for (const [index, leases] of group
        ? leasesByCohort(group, event.leases)
        : cohorts.map((index) => [index, event.leases] as const))
        if (cohorts.includes(index)) enqueue.sendTo(cohortId(index), { type: 'leases.freed', leases })
    }),
    tellCohorts: supervisorSetup.enqueueActions(({ context, event, enqueue }) => {
      for (const index of context.cohorts) enqueue.sendTo(cohortId(index), event)
    }),
  },
})

type Has = { readonly context: Context }

const groupCall = ({ context }: Has): GroupCall => ({ session: context.session, group: context.group!.name })
const output = <T>({ event }: { readonly event: { readonly output: T } }): T => event.output

const reportAssignment = {
  type: 'reportAssignment',
  params: ({ context }: Has) => ({ group: context.group!.name, before: context.mine, after: context.wanted }),
} as const

const reassign = ['ensureCohorts', 'orderChanges', reportAssignment, 'noteMine'] as const

const giveUpAll = ['wantNone', ...reassign] as const

const followView = [
  'clearFailures',
  { type: 'noteVersion', params: output<View> },
  { type: 'noteWanted', params: output<View> },
  {
    type: 'reportMembers',
    params: ({ context, event }: Has & { event: { output: View } }) => ({
      group: context.group!.name,
      view: event.output,
    }),
  },
  ...reassign,
] as const

const noteMismatch = [
  'clearFailures',
  { type: 'noteMismatch', params: output<JoinAnswer> },
  {
    type: 'reportMismatch',
    params: ({ context: { group, living } }: Has) => ({ group: group!.name, partitions: group!.partitions, living }),
  },
] as const

const hasJoined = { type: 'hasJoined', params: output<JoinAnswer> } as const
const isMismatched = { type: 'isMismatched', params: output<JoinAnswer> } as const
const isMember = { type: 'isMember', params: output<View> } as const

const children = supervisor.createStateConfig({
  initial: 'tending',
  states: {
    tending: {
      on: {
        'children.start': { actions: ['ensureCohorts', 'orderStart'] },
        'children.stop': { actions: 'orderStop' },
        'supervisor.stop': [
          { guard: 'isPlain', target: 'stopping' },
          { target: 'leaving', actions: 'dropStarts' },
        ],
      },
    },
    leaving: {
      description:
        'First the others learn that this member goes, so that they stand in line when the leases are released.',
      on: {
        'membership.given-up': { target: 'stopping', actions: ['wantNone', reportAssignment, 'noteMine'] },
      },
    },
    stopping: {
      description: 'Hands over everything, also what an earlier view has moved away and is still leaving.',
      entry: 'orderEnd',
      always: { guard: 'hasNoCohorts', target: 'none' },
      on: {
        'xstate.done.actor.cohort.*': {
          actions: { type: 'forgetCohort', params: ({ event }) => ({ id: event.actorId }) },
        },
      },
    },
    none: { type: 'final' },
  },
  on: {
    'leases.freed': { actions: 'offer' },
    'session.opened': { actions: ['noteSession', 'tellCohorts'] },
    'session.lost': { actions: ['noteLoss', 'tellCohorts'] },
    'store.restarted': { actions: 'tellCohorts' },
    'partition.resting': { actions: ['noteResting', reportAssignment, 'noteMine'] },
    'partition.rested': { actions: 'noteRested' },
  },
})

const pace = supervisor.createStateConfig({
  initial: 'calm',
  states: {
    calm: {
      always: [
        { guard: 'hasNoChildren', target: 'over' },
        { guard: 'hasOrders', target: 'ordering' },
      ],
    },
    ordering: {
      description: 'One cohort after the other, so that thousands of partitions do not keep renewals waiting.',
      entry: ['giveNextOrder', 'awaitTurn'],
      exit: 'disarmTimer',
      on: { 'timer.due': 'calm' },
    },
    over: { type: 'final' },
  },
})

/** At once, whatever has failed before: the handover waits for it. */
const toLeave = { target: '#membership.leaving', actions: 'clearFailures' } as const

const membership = supervisor.createStateConfig({
  initial: 'choosing',
  states: {
    choosing: {
      always: [{ guard: 'isPlain', target: 'none' }, { guard: 'hasSession', target: 'inside' }, { target: 'outside' }],
    },
    outside: {
      description: 'There is no session to be a member with.',
      on: {
        'session.opened': 'inside',
        'supervisor.stop': 'none',
      },
    },
    inside: {
      initial: 'joining',
      states: {
        joining: {
          description: 'Becomes a member, or tells the others what has changed about it.',
          initial: 'current',
          invoke: {
            id: 'join',
            src: 'join',
            input: ({ context }) => ({
              ...groupCall({ context }),
              partitions: context.group!.partitions,
              resting: context.resting,
            }),
          },
          states: {
            current: {
              on: {
                'partition.resting': 'outdated',
                'partition.rested': 'outdated',
                'store.restarted': 'outdated',
                'supervisor.stop': 'unwanted',
                'xstate.done.actor.join': [
                  { guard: hasJoined, target: '#membership.inside.viewing', actions: 'clearFailures' },
                  { guard: isMismatched, target: '#membership.inside.mismatched', actions: noteMismatch },
                  { target: '#membership.inside.retrying', actions: 'countFailure' },
                ],
                'xstate.error.actor.join': { target: '#membership.inside.retrying', actions: 'countFailure' },
              },
            },
            outdated: {
              description: 'What is being announced is not true any more.',
              on: {
                'supervisor.stop': 'unwanted',
                'xstate.done.actor.join': '#membership.inside.joining',
                'xstate.error.actor.join': { target: '#membership.inside.retrying', actions: 'countFailure' },
              },
            },
            unwanted: {
              description: 'The answer is awaited, and then undone.',
              on: {
                'session.lost': '#membership.none',
                'xstate.done.actor.join': toLeave,
                'xstate.error.actor.join': toLeave,
              },
            },
          },
        },
        retrying: {
          invoke: {
            src: 'backoff',
            input: ({ context }) => ({ attempt: context.attempt }),
            onDone: 'joining',
            onError: 'joining',
          },
          on: { 'supervisor.stop': toLeave },
        },
        mismatched: {
          description:
            'The living members have another number of partitions. They came first; this one waits for them to go.',
          entry: [...giveUpAll],
          invoke: {
            src: 'pause',
            input: ({ context }) => ({ forMs: context.group!.retryMs }),
            onDone: 'joining',
            onError: 'joining',
          },
          on: { 'supervisor.stop': toLeave },
        },
        viewing: {
          description: 'Asks who the members are, and works out what follows.',
          initial: 'current',
          invoke: {
            id: 'view',
            src: 'view',
            input: ({ context }) => ({
              ...groupCall({ context }),
              partitions: context.group!.partitions,
              balance: context.group!.balance,
            }),
          },
          states: {
            current: {
              on: {
                'group.changed': 'outdated',
                'xstate.done.actor.view': [
                  { guard: isMember, target: '#membership.inside.member', actions: followView },
                  { target: '#membership.inside.retrying', actions: 'countFailure' },
                ],
              },
            },
            outdated: {
              on: {
                'xstate.done.actor.view': [
                  { guard: isMember, target: '#membership.inside.viewing', actions: followView },
                  { target: '#membership.inside.retrying', actions: 'countFailure' },
                ],
              },
            },
          },
          on: {
            'supervisor.stop': toLeave,
            'partition.resting': 'joining',
            'partition.rested': 'joining',
            'store.restarted': 'joining',
            'xstate.error.actor.view': { target: 'unseeing', actions: 'countFailure' },
          },
        },
        unseeing: {
          description: 'The members could not be read. What this member runs, it goes on running.',
          invoke: {
            src: 'backoff',
            input: ({ context }) => ({ attempt: context.attempt }),
            onDone: 'viewing',
            onError: 'viewing',
          },
          on: {
            'supervisor.stop': toLeave,
            'partition.resting': 'joining',
            'partition.rested': 'joining',
            'store.restarted': 'joining',
          },
        },
        member: {
          on: {
            'supervisor.stop': toLeave,
            'group.changed': { guard: 'isNews', target: 'viewing' },
            'partition.resting': 'joining',
            'partition.rested': 'joining',
            'store.restarted': 'joining',
          },
        },
      },
      on: {
        'session.lost': { target: 'outside', actions: giveUpAll },
      },
    },
    leaving: {
      description:
        'Repeated until it is confirmed or the session is over. The handover begins after the first attempt.',
      invoke: {
        id: 'leave',
        src: 'leave',
        input: ({ context }) => ({ ...groupCall({ context }), attempt: context.attempt }),
      },
      on: {
        'session.lost': 'none',
        'xstate.done.actor.leave': [
          { guard: { type: 'hasLeft', params: output<LeaveAnswer> }, target: 'none' },
          { target: 'leaving', reenter: true, actions: ['countFailure', 'giveUpMembership'] },
        ],
        'xstate.error.actor.leave': { target: 'leaving', reenter: true, actions: ['countFailure', 'giveUpMembership'] },
      },
    },
    none: {
      entry: 'giveUpMembership',
      type: 'final',
    },
  },
})

export const groupSupervisorMachine = supervisor.createMachine({
  id: 'groupSupervisor',
  type: 'parallel',
  context: ({ input }) => ({
    ...input,
    version: 0,
    mine: [],
    wanted: [],
    resting: [],
    attempt: 0,
    cohorts: [],
    orders: [],
    living: 0,
  }),
  on: {
    'child.ended': { actions: 'tellEnded' },
    // Of no concern to a state that does not name them.
    'membership.given-up': {},
    'supervisor.stop': {},
    'group.changed': {},
    'timer.due': {},
    'children.start': {},
    'children.stop': {},
  },
  states: {
    // In this order: terms learn of a lost session before the view that it takes along moves their partitions away.
    children,
    membership: { id: 'membership', ...membership },
    pace,
  },
})
