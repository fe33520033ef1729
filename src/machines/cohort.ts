/**
 * Some elections, partitions or observers of one supervisor: how they are started, told, stopped, counted and waited for.
 * A level of its own, because what XState spends on a child grows with the number of its siblings.
 */
import { assertEvent, assign, type DoneActorEvent, type ErrorActorEvent, sendParent, setup, stopChild } from 'xstate'
import { plainError } from '../model/errors.ts'
import { type ElectionCommand, type ElectionInput, electionMachine } from './election.ts'
import type { Crash, SessionFact } from './facts.ts'
import { type ObserverInput, observerMachine } from './observer.ts'
import { type PartitionCommand, type PartitionFact, type PartitionInput, partitionMachine } from './partition.ts'
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

/** What a child can be told to end with. */
type ChildStop =
  | Extract<ElectionCommand, { type: 'election.stop' }>
  | Extract<PartitionCommand, { type: 'partition.unassign' | 'partition.stop' }>
  | { readonly type: 'observer.stop' }

export interface Context extends CohortInput {
  readonly children: Readonly<Record<string, ChildSpec>>
  /** Who was told to end, and how: whoever takes the place of a failed one is told again. */
  readonly told: Readonly<Record<string, ChildStop>>
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

function stopOf({ kind }: ChildSpec): ChildStop {
  if (kind === 'election') return { type: 'election.stop', reason: 'stopped' }
  return { type: `${kind}.stop` }
}

/** What is said about these ids, for those of them that are there. */
function toldTo(ids: readonly string[], { children }: Context, stop: (child: ChildSpec) => ChildStop) {
  const there = ids.filter((id) => Object.hasOwn(children, id))
  return Object.fromEntries(there.map((id) => [id, stop(children[id]!)]))
}

function without<T>(record: Readonly<Record<string, T>>, ids: readonly string[]): Readonly<Record<string, T>> {
  const left = { ...record }
  for (const id of ids) delete left[id]
  return left
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
    remove: stopChild((_, { id }: { id: string }) => id),
    forget: assign(({ context }, { id }: { id: string }) => ({
      children: without(context.children, [id]),
      told: without(context.told, [id]),
    })),
    tellEnded: sendParent((_, { id }: { id: string }): CohortFact => ({ type: 'child.ended', id })),
    passUp: sendParent(({ event }) => event),
  },
  guards: {
    isPartition: ({ context }, { id }: { id: string }) => context.children[id]?.kind === 'partition',
    isEmpty: ({ context }) => Object.keys(context.children).length === 0,
  },
})

const cohort = cohortSetup.extend({
  actions: {
    startNew: cohortSetup.assign(({ context, event, spawn }) => {
      assertEvent(event, 'children.start')
      const { session } = context
      const fresh = event.children.filter(({ id }) => !Object.hasOwn(context.children, id))
      for (const { id, kind, input } of fresh) {
        if (kind === 'election') spawn('election', { id, input: { ...input, session } })
        else if (kind === 'partition') spawn('partition', { id, input: { ...input, session } })
        else spawn('observer', { id, input })
      }
      return { children: { ...context.children, ...Object.fromEntries(fresh.map((child) => [child.id, child])) } }
    }),
    assignAgain: cohortSetup.enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'children.start')
      const there = ({ id, kind }: ChildSpec) => kind === 'partition' && Object.hasOwn(context.children, id)
      const again = event.children.filter(there).map(({ id }) => id)
      enqueue.assign({ told: without(context.told, again) })
      for (const id of again) enqueue.sendTo(id, { type: 'partition.assign' })
    }),
    unassignSome: cohortSetup.enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'children.unassign')
      const told = toldTo(event.ids, context, () => ({ type: 'partition.unassign' }))
      enqueue.assign({ told: { ...context.told, ...told } })
      for (const [id, stop] of Object.entries(told)) enqueue.sendTo(id, stop)
    }),
    stopSome: cohortSetup.enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'children.stop')
      const told = toldTo(event.ids, context, stopOf)
      enqueue.assign({ told: { ...context.told, ...told } })
      for (const [id, stop] of Object.entries(told)) enqueue.sendTo(id, stop)
    }),
    stopAll: cohortSetup.enqueueActions(({ context, enqueue }) => {
      const told = toldTo(Object.keys(context.children), context, stopOf)
      enqueue.assign({ told })
      for (const [id, stop] of Object.entries(told)) enqueue.sendTo(id, stop)
    }),
    /** In the place of a failed one; what that one left running ends first. */
    revive: cohortSetup.enqueueActions(({ context: { children, session, told }, event, enqueue }) => {
      assertEvent(event, 'xstate.error.actor.*')
      const id = event.actorId
      const { kind, input } = children[id]!
      enqueue.stopChild(id)
      if (kind === 'election')
        enqueue.spawnChild('election', { id, input: { ...input, session, begins: 'after-crash' } })
      else if (kind === 'partition')
        enqueue.spawnChild('partition', { id, input: { ...input, session, begins: 'after-crash' } })
      else enqueue.spawnChild('observer', { id, input })
      const stop = told[id]
      if (stop) enqueue.sendTo(id, stop)
    }),
    offer: cohortSetup.enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'leases.freed')
      for (const lease of event.leases)
        if (Object.hasOwn(context.children, lease)) enqueue.sendTo(lease, { type: 'lease.freed', lease })
    }),
    tellAll: cohortSetup.enqueueActions(({ context, event, enqueue }) => {
      for (const id of Object.keys(context.children)) enqueue.sendTo(id, event)
    }),
  },
})

export const cohortMachine = cohort.createMachine({
  id: 'cohort',
  context: ({ input }) => ({ ...input, children: {}, told: {} }),
  initial: 'tending',
  on: {
    'session.opened': { actions: ['noteSession', 'tellAll'] },
    'session.lost': { actions: ['noteLoss', 'tellAll'] },
    'store.restarted': { actions: 'tellAll' },
    'partition.resting': { actions: 'passUp' },
    'partition.rested': { actions: 'passUp' },
    'xstate.error.actor.*': {
      actions: [{ type: 'reportCrash', params: crash }, 'revive'],
    },
  },
  states: {
    tending: {
      on: {
        'children.start': { actions: ['assignAgain', 'startNew'] },
        'children.stop': { actions: 'stopSome' },
        'children.unassign': { actions: 'unassignSome' },
        'leases.freed': { actions: 'offer' },
        'cohort.stop': 'stopping',
        'xstate.done.actor.*': [
          { guard: { type: 'isPartition', params: child }, actions: [remove, forget] },
          { actions: [remove, forget, tellEnded] },
        ],
      },
    },
    stopping: {
      description: 'Everything was told to end. Who has ended is only forgotten: this cohort goes with the last one.',
      entry: 'stopAll',
      always: { guard: 'isEmpty', target: 'gone' },
      on: {
        'children.start': {},
        'children.stop': {},
        'children.unassign': {},
        'leases.freed': {},
        'cohort.stop': {},
        'xstate.done.actor.*': { actions: [forget, tellEnded] },
      },
    },
    gone: { type: 'final' },
  },
})
