/**
 * One partition of a group, while this member has to do with it: it contends for the partition's lease, hands over when the
 * partition moves away, and takes it up again when it comes back meanwhile. After stepping down it rests, and says so.
 */
import { assertEvent, assign, sendParent, sendTo, setup, stateIn } from 'xstate'
import { plainError } from '../model/errors.ts'
import type { Schedule } from '../model/schedule.ts'
import { type ElectionInput, type ElectionOutput, electionMachine } from './election.ts'
import type { Crash, SessionFact } from './facts.ts'
import { call, effect } from './slots.ts'

export interface PartitionInput {
  readonly lease: string
  readonly partition: number
  readonly work: string
  readonly schedule?: Schedule
  readonly session: string | null
  readonly begins?: ElectionInput['begins']
  readonly restMs: number
}

export type PartitionCommand =
  /** The view gives the partition to this member. */
  | { readonly type: 'partition.assign' }
  /** The view gives the partition to another member: hand over. */
  | { readonly type: 'partition.unassign' }
  /** The whole group ends here. */
  | { readonly type: 'partition.stop' }
  | { readonly type: 'STEP_DOWN' }

/** What the group is told, so that the other members take the partition meanwhile. */
export type PartitionFact =
  | { readonly type: 'partition.resting'; readonly partition: number }
  | { readonly type: 'partition.rested'; readonly partition: number }

export type Event = SessionFact | PartitionCommand | { readonly type: 'lease.freed'; readonly lease: string }

const crash = ({
  context,
  event,
}: {
  readonly context: PartitionInput
  readonly event: { readonly error: unknown }
}): Crash => ({
  lease: context.lease,
  error: plainError(event.error),
})

const crashed = [{ type: 'reportCrash', params: crash }, 'beginAfterCrash'] as const

export const partitionMachine = setup({
  types: {
    input: {} as PartitionInput,
    context: {} as PartitionInput,
    events: {} as Event,
    children: {} as { election: 'election' },
  },
  actors: {
    election: electionMachine,
    pause: call<void, { readonly forMs: number }>('pause'),
  },
  actions: {
    noteSession: assign(({ event }) => {
      assertEvent(event, 'session.opened')
      return { session: event.session }
    }),
    noteLoss: assign({ session: null }),
    beginAtOnce: assign({ begins: 'at-once' as const }),
    beginAfterCrash: assign({ begins: 'after-crash' as const }),
    reportCrash: effect<Crash>('reportCrash'),
    reportRest: effect<{ readonly lease: string; readonly restMs: number }>('reportRest'),
    passOn: sendTo('election', ({ event }) => event),
    moveElection: sendTo('election', { type: 'election.stop', reason: 'moved' }),
    stopElection: sendTo('election', { type: 'election.stop', reason: 'stopped' }),
    tellResting: sendParent(
      ({ context }): PartitionFact => ({ type: 'partition.resting', partition: context.partition }),
    ),
    tellRested: sendParent(
      ({ context }): PartitionFact => ({ type: 'partition.rested', partition: context.partition }),
    ),
  },
  guards: {
    isWantedAgain: stateIn({ alive: 'returning' }),
    isLeaving: stateIn({ alive: 'leaving' }),
    isStopping: stateIn({ alive: 'stopping' }),
    hasSteppedDown: (_, { end }: ElectionOutput) => end === 'stepped-down',
  },
}).createMachine({
  id: 'partition',
  context: ({ input }) => input,
  initial: 'alive',
  on: {
    // Of no concern to a state that does not name them.
    'partition.assign': {},
    'partition.unassign': {},
    'partition.stop': {},
    'session.opened': {},
    'session.lost': {},
    'store.restarted': {},
    'lease.freed': {},
    STEP_DOWN: {},
  },
  states: {
    alive: {
      initial: 'contending',
      invoke: {
        id: 'election',
        src: 'election',
        input: ({ context }) => ({ ends: 'after-step-down' as const, ...context }),
        onDone: [
          // Nobody need rest who is not wanted any more.
          { guard: 'isStopping', target: 'gone' },
          { guard: { type: 'hasSteppedDown', params: ({ event }) => event.output }, target: 'resting' },
          { guard: 'isWantedAgain', target: 'alive', reenter: true, actions: 'beginAtOnce' },
          { target: 'gone' },
        ],
        onError: [
          { guard: 'isLeaving', target: '.leaving', reenter: true, actions: crashed },
          { guard: 'isStopping', target: '.stopping', reenter: true, actions: crashed },
          { target: '.contending', reenter: true, actions: crashed },
        ],
      },
      states: {
        contending: {
          on: {
            'partition.unassign': 'leaving',
            'partition.stop': 'stopping',
          },
        },
        leaving: {
          description: 'The partition has moved away. Its work is being interrupted, awaited and its lease released.',
          entry: 'moveElection',
          on: {
            'partition.assign': 'returning',
            'partition.stop': 'stopping',
          },
        },
        returning: {
          description:
            'It came back before its handover was over: the handover ends first, then this member campaigns anew.',
          on: {
            'partition.unassign': 'leaving',
            'partition.stop': 'stopping',
          },
        },
        stopping: { entry: 'stopElection' },
      },
      on: {
        'session.opened': { actions: ['noteSession', 'passOn'] },
        'session.lost': { actions: ['noteLoss', 'passOn'] },
        'store.restarted': { actions: 'passOn' },
        'lease.freed': { actions: 'passOn' },
        STEP_DOWN: { actions: 'passOn' },
      },
    },
    resting: {
      description: 'Stepped down. The group gives the partition to the next member until the rest is over.',
      entry: ['tellResting', { type: 'reportRest', params: ({ context: { lease, restMs } }) => ({ lease, restMs }) }],
      exit: 'tellRested',
      invoke: {
        src: 'pause',
        input: ({ context }) => ({ forMs: context.restMs }),
        onDone: 'gone',
        onError: 'gone',
      },
      on: { 'partition.stop': 'gone' },
    },
    gone: { type: 'final' },
  },
})
