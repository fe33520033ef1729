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
export const COHORT_SIZE = 64

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

export interface Child {
  /** The id of its actor. */
  readonly place: string
  readonly spec: ChildSpec
  /** How it was told to end: whoever takes the place of a failed one is told again. */
  readonly told: ChildStop | null
}

/** A list, which is copied much faster than a record. */
export interface Context extends CohortInput {
  readonly children: readonly Child[]
}

type Ended = { readonly context: Context; readonly event: { readonly actorId: string } }

const place = ({ event }: Ended) => ({ place: event.actorId })
const remove = { type: 'remove', params: place } as const
const forget = { type: 'forget', params: place } as const
const tellEnded = {
  type: 'tellEnded',
  params: ({ context, event }: Ended) => ({ id: at(event.actorId, context).spec.id }),
} as const
const isPartition = {
  type: 'isPartition',
  params: ({ context, event }: Ended) => at(event.actorId, context).spec,
} as const
const crash = ({ context, event }: Ended & { readonly event: { readonly error: unknown } }): Crash => ({
  lease: at(event.actorId, context).spec.id,
  error: plainError(event.error),
})

function at(place: string, { children }: Context): Child {
  return children.find((child) => child.place === place)!
}

function stopOf({ kind }: ChildSpec): ChildStop {
  if (kind === 'election') return { type: 'election.stop', reason: 'stopped' }
  return { type: `${kind}.stop` }
}

/**
 * Those of these that are not there, each with its place. XState keeps something for every id whose end was ever handled, so only what
 * people have named is called by its name; partitions, locks and observers, of which there may be any number, share a few places.
 */
function seat(specs: readonly ChildSpec[], { children }: Context): readonly Child[] {
  const there = new Set(children.map(({ spec }) => spec.id))
  const taken = new Set(children.map(({ place }) => place))
  let number = 0
  function placeOf(spec: ChildSpec): string {
    if (spec.kind === 'election' && spec.input.ends === 'when-stopped') return spec.id
    while (taken.has(`${spec.kind}/${number}`)) number += 1
    return `${spec.kind}/${number++}`
  }
  return specs.filter(({ id }) => !there.has(id)).map((spec) => ({ place: placeOf(spec), spec, told: null }))
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
    remove: stopChild((_, { place }: { place: string }) => place),
    forget: assign(({ context }, { place }: { place: string }) => ({
      children: context.children.filter((child) => child.place !== place),
    })),
    tellEnded: sendParent((_, { id }: { id: string }): CohortFact => ({ type: 'child.ended', id })),
    passUp: sendParent(({ event }) => event),
  },
  guards: {
    isPartition: (_, { kind }: ChildSpec) => kind === 'partition',
    isEmpty: ({ context }) => context.children.length === 0,
  },
})

const cohort = cohortSetup.extend({
  actions: {
    startNew: cohortSetup.assign(({ context, event, spawn }) => {
      assertEvent(event, 'children.start')
      const { session } = context
      const fresh = seat(event.children, context)
      for (const { place, spec } of fresh) {
        if (spec.kind === 'election') spawn('election', { id: place, input: { session, ...spec.input } })
        else if (spec.kind === 'partition') spawn('partition', { id: place, input: { session, ...spec.input } })
        else spawn('observer', { id: place, input: spec.input })
      }
      return { children: [...context.children, ...fresh] }
    }),
    assignAgain: cohortSetup.enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'children.start')
      const meant = new Set(event.children.map(({ id }) => id))
      const isMeant = ({ spec }: Child) => spec.kind === 'partition' && meant.has(spec.id)
      enqueue.assign({ children: context.children.map((child) => (isMeant(child) ? { ...child, told: null } : child)) })
      for (const { place } of context.children.filter(isMeant)) enqueue.sendTo(place, { type: 'partition.assign' })
    }),
    unassignSome: cohortSetup.enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'children.unassign')
      const meant = new Set(event.ids)
      const told = { type: 'partition.unassign' } as const
      enqueue.assign({
        children: context.children.map((child) => (meant.has(child.spec.id) ? { ...child, told } : child)),
      })
      for (const { place, spec } of context.children) if (meant.has(spec.id)) enqueue.sendTo(place, told)
    }),
    stopSome: cohortSetup.enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'children.stop')
      const meant = new Set(event.ids)
      enqueue.assign({
        children: context.children.map((child) =>
          meant.has(child.spec.id) ? { ...child, told: stopOf(child.spec) } : child,
        ),
      })
      for (const { place, spec } of context.children) if (meant.has(spec.id)) enqueue.sendTo(place, stopOf(spec))
    }),
    stopAll: cohortSetup.enqueueActions(({ context, enqueue }) => {
      enqueue.assign({ children: context.children.map((child) => ({ ...child, told: stopOf(child.spec) })) })
      for (const { place, spec } of context.children) enqueue.sendTo(place, stopOf(spec))
    }),
    /** In the place of a failed one; what that one left running ends first. */
    revive: cohortSetup.enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'xstate.error.actor.*')
      const { session } = context
      const { place: id, spec, told } = at(event.actorId, context)
      enqueue.stopChild(id)
      if (spec.kind === 'election')
        enqueue.spawnChild('election', { id, input: { ...spec.input, session, begins: 'after-crash' } })
      else if (spec.kind === 'partition')
        enqueue.spawnChild('partition', { id, input: { ...spec.input, session, begins: 'after-crash' } })
      else enqueue.spawnChild('observer', { id, input: spec.input })
      if (told) enqueue.sendTo(id, told)
    }),
    offer: cohortSetup.enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'leases.freed')
      const freed = new Set(event.leases)
      for (const { place, spec } of context.children)
        if (freed.has(spec.id)) enqueue.sendTo(place, { type: 'lease.freed', lease: spec.id })
    }),
    tellAll: cohortSetup.enqueueActions(({ context, event, enqueue }) => {
      for (const { place } of context.children) enqueue.sendTo(place, event)
    }),
  },
})

export const cohortMachine = cohort.createMachine({
  id: 'cohort',
  context: ({ input }) => ({ ...input, children: [] }),
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
          { guard: isPartition, actions: [remove, forget] },
          { actions: [remove, tellEnded, forget] },
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
        'xstate.done.actor.*': [{ guard: isPartition, actions: forget }, { actions: [tellEnded, forget] }],
      },
    },
    gone: { type: 'final' },
  },
})
