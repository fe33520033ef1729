/**
 * Some elections, partitions or observers of one supervisor: how they are started, told, stopped, counted and waited for.
 * A level of its own, because what XState spends on a child grows with the number of its siblings.
 */
import {
  assertEvent,
  assign,
  type DoneActorEvent,
  type ErrorActorEvent,
  raise,
  sendParent,
  setup,
  stopChild,
} from 'xstate'
import { plainError } from '../model/errors.ts'
import { type ElectionInput, electionMachine } from './election.ts'
import type { Crash, SessionFact } from './facts.ts'
import { type ObserverInput, observerMachine } from './observer.ts'
import { type PartitionFact, type PartitionInput, partitionMachine } from './partition.ts'
import { effect } from './slots.ts'

/** How many children one cohort takes. */
export const COHORT_SIZE = 32

/** What to start. `id` is unique within the supervisor: the lease, or the observer's key. */
export type ChildSpec =
  | { readonly kind: 'election'; readonly id: string; readonly input: Omit<ElectionInput, 'session'> }
  | { readonly kind: 'partition'; readonly id: string; readonly input: Omit<PartitionInput, 'session'> }
  | { readonly kind: 'observer'; readonly id: string; readonly input: ObserverInput }

export type CohortCommand =
  /** Starts those that are not there; a partition that is there is assigned again. */
  | { readonly type: 'children.start'; readonly children: readonly ChildSpec[] }
  | { readonly type: 'children.stop'; readonly ids: readonly string[] }
  /** Partitions that have moved away. */
  | { readonly type: 'children.unassign'; readonly ids: readonly string[] }
  /** Stops everything; the cohort is over when nothing is left. */
  | { readonly type: 'cohort.stop' }
  | { readonly type: 'leases.freed'; readonly leases: readonly string[] }

export type CohortFact = { readonly type: 'child.ended'; readonly id: string } | PartitionFact

export type Event =
  | SessionFact
  | CohortCommand
  | PartitionFact
  | DoneActorEvent<unknown, string>
  | ErrorActorEvent<unknown, string>

export interface CohortInput {
  readonly session: string | null
}

export interface Context extends CohortInput {
  readonly children: Readonly<Record<string, ChildSpec>>
  /** How many are still to be waited for, once everything is stopped. */
  readonly left: number
}

type Ended = { readonly event: { readonly actorId: string } }

const child = ({ event }: Ended) => ({ id: event.actorId })
const remove = { type: 'remove', params: child } as const
const forget = { type: 'forget', params: child } as const
const tellEnded = { type: 'tellEnded', params: child } as const
const crash = ({ event }: { readonly event: { readonly actorId: string; readonly error: unknown } }): Crash => ({
  lease: event.actorId,
  error: plainError(event.error),
})

/** What a failed machine left running has at most a lease duration left: its successor rests for as long. */
function rested(child: ChildSpec): ChildSpec {
  return child.kind === 'election' ? { ...child, input: { ...child.input, begins: 'after-rest' } } : child
}

function stopOf({ kind }: ChildSpec) {
  if (kind === 'election') return { type: 'election.stop', reason: 'stopped' } as const
  return { type: `${kind}.stop` } as const
}

const cohortSetup = setup({
  types: {
    input: {} as CohortInput,
    context: {} as Context,
    events: {} as Event,
  },
  actors: {
    election: electionMachine,
    partition: partitionMachine,
    observer: observerMachine,
  },
  actions: {
    reportCrash: effect<Crash>('reportCrash'),
    noteSession: assign(({ event }) => {
      assertEvent(event, 'session.opened')
      return { session: event.session }
    }),
    noteLoss: assign({ session: null }),
    countAll: assign({ left: ({ context }) => Object.keys(context.children).length }),
    countDown: assign({ left: ({ context }) => context.left - 1 }),
    remove: stopChild((_, { id }: { id: string }) => id),
    forget: assign(({ context }, { id }: { id: string }) => {
      const { [id]: _gone, ...children } = context.children
      return { children }
    }),
    restart: raise(({ context }, { id }: { id: string }) => ({
      type: 'children.start',
      children: [rested(context.children[id]!)],
    })),
    tellEnded: sendParent((_, { id }: { id: string }): CohortFact => ({ type: 'child.ended', id })),
    passUp: sendParent(({ event }) => event),
  },
  guards: {
    isPartition: ({ context }, { id }: { id: string }) => context.children[id]?.kind === 'partition',
    isTheLast: ({ context }) => context.left <= 1,
    isEmpty: ({ context }) => Object.keys(context.children).length === 0,
  },
})

const cohort = cohortSetup.extend({
  actions: {
    startNew: cohortSetup.assign(({ context, event, spawn }) => {
      assertEvent(event, 'children.start')
      const { session } = context
      const fresh = event.children.filter(({ id }) => !(id in context.children))
      for (const { id, kind, input } of fresh) {
        if (kind === 'election') spawn('election', { id, input: { ...input, session } })
        else if (kind === 'partition') spawn('partition', { id, input: { ...input, session } })
        else spawn('observer', { id, input })
      }
      return { children: { ...context.children, ...Object.fromEntries(fresh.map((child) => [child.id, child])) } }
    }),
    assignAgain: cohortSetup.enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'children.start')
      for (const { id, kind } of event.children) {
        if (kind === 'partition' && id in context.children) enqueue.sendTo(id, { type: 'partition.assign' })
      }
    }),
    unassignSome: cohortSetup.enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'children.unassign')
      for (const id of event.ids) if (id in context.children) enqueue.sendTo(id, { type: 'partition.unassign' })
    }),
    stopSome: cohortSetup.enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'children.stop')
      for (const id of event.ids) {
        const child = context.children[id]
        if (child) enqueue.sendTo(id, stopOf(child))
      }
    }),
    stopAll: cohortSetup.enqueueActions(({ context, enqueue }) => {
      for (const [id, child] of Object.entries(context.children)) enqueue.sendTo(id, stopOf(child))
    }),
    offer: cohortSetup.enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'leases.freed')
      for (const lease of event.leases)
        if (lease in context.children) enqueue.sendTo(lease, { type: 'lease.freed', lease })
    }),
    tellAll: cohortSetup.enqueueActions(({ context, event, enqueue }) => {
      for (const id of Object.keys(context.children)) enqueue.sendTo(id, event)
    }),
  },
})

export const cohortMachine = cohort.createMachine({
  id: 'cohort',
  context: ({ input }) => ({ ...input, children: {}, left: 0 }),
  initial: 'tending',
  on: {
    'session.opened': { actions: ['noteSession', 'tellAll'] },
    'session.lost': { actions: ['noteLoss', 'tellAll'] },
    'store.restarted': { actions: 'tellAll' },
    'partition.resting': { actions: 'passUp' },
    'partition.rested': { actions: 'passUp' },
  },
  states: {
    tending: {
      on: {
        'children.start': { actions: ['assignAgain', 'startNew'] },
        'children.stop': { actions: 'stopSome' },
        'children.unassign': { actions: 'unassignSome' },
        'leases.freed': { actions: 'offer' },
        'cohort.stop': [{ guard: 'isEmpty', target: 'gone' }, { target: 'stopping' }],
        'xstate.done.actor.*': [
          { guard: { type: 'isPartition', params: child }, actions: [remove, forget] },
          { actions: [remove, forget, tellEnded] },
        ],
        'xstate.error.actor.*': {
          actions: [{ type: 'reportCrash', params: crash }, { type: 'restart', params: child }, remove, forget],
        },
      },
    },
    stopping: {
      description: 'Everything was told to end. Who has ended is only counted: this cohort goes with the last one.',
      entry: ['countAll', 'stopAll'],
      on: {
        'children.start': {},
        'children.stop': {},
        'children.unassign': {},
        'leases.freed': {},
        'cohort.stop': {},
        'xstate.done.actor.*': [
          { guard: 'isTheLast', target: 'gone', actions: tellEnded },
          { actions: ['countDown', tellEnded] },
        ],
        'xstate.error.actor.*': [
          { guard: 'isTheLast', target: 'gone', actions: [{ type: 'reportCrash', params: crash }, tellEnded] },
          { actions: ['countDown', { type: 'reportCrash', params: crash }, tellEnded] },
        ],
      },
    },
    gone: { type: 'final' },
  },
})
