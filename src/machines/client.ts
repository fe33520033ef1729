/**
 * The root of everything that one client does: its session, the supervisor of its plain elections, and one for each group. It keeps
 * what was declared, so that START after STOP runs it again; a stop hands over first and closes the session last.
 */
import {
  assertEvent,
  assign,
  type DoneActorEvent,
  type ErrorActorEvent,
  sendTo,
  setup,
  stateIn,
  stopChild,
} from 'xstate'
import { type PlainError, plainError } from '../model/errors.ts'
import { partitionOf } from '../model/names.ts'
import { type ChildSpec, COHORT_SIZE, type CohortFact } from './cohort.ts'
import { type GroupSpec, groupSupervisorMachine, type SupervisorCommand } from './groupSupervisor.ts'
import { type SessionHint, type SessionReport, sessionMachine } from './session.ts'
import { call, effect } from './slots.ts'

/** What was declared. It begins with START, or at once, and ends for good when it is stopped. */
export type TaskSpec =
  /** An election or an observer. `number` counts the declarations of a client: it decides on the cohort. */
  | {
      readonly kind: 'child'
      readonly id: string
      readonly number: number
      readonly child: ChildSpec
      readonly survives: 'stop' | 'nothing'
    }
  | { readonly kind: 'group'; readonly id: string; readonly group: GroupSpec }

export interface ClientInput {
  readonly renewIntervalMs: number
  readonly leaseDurationMs: number
  readonly pollIntervalMs?: number
}

export type ClientCommand =
  | { readonly type: 'START' }
  | { readonly type: 'STOP' }
  | { readonly type: 'task.start'; readonly task: TaskSpec }
  | { readonly type: 'task.stop'; readonly id: string }

/** Pushed by the store, and already known to be meant for the present session. */
export type ClientHint =
  | { readonly type: 'lease.freed'; readonly lease: string }
  | { readonly type: 'members.changed'; readonly group: string }

export type ClientEvent = ClientCommand | ClientHint | SessionHint | SessionReport | CohortFact

export interface Context extends ClientInput {
  /** By the order of their declarations. */
  readonly tasks: readonly TaskSpec[]
  readonly session: string | null
  readonly supervisors: readonly string[]
  /** Declared tasks that are quiet while the client stops: they have ended, or have not begun. */
  readonly ended: readonly string[]
}

/** Declarations go round these cohorts, so that their number is bounded however many locks a client takes in its life. */
const PLAIN_COHORTS = 100
export const ELECTIONS = 'elections'

/** A group's task and its supervisor have one id, with a character that no lease can have. */
export const groupId = (name: string) => `group/${name}`
/** The cohort of the plain supervisor that takes a declaration. */
export const cohortOf = (number: number) => Math.floor(number / COHORT_SIZE) % PLAIN_COHORTS

type ChildTask = Extract<TaskSpec, { kind: 'child' }>
type GroupTask = Extract<TaskSpec, { kind: 'group' }>

const isChild = (task: TaskSpec): task is ChildTask => task.kind === 'child'
const isGroup = (task: TaskSpec): task is GroupTask => task.kind === 'group'
const startOf = (task: ChildTask) =>
  ({ type: 'children.start', cohort: cohortOf(task.number), children: [task.child] }) as const

export type Event = ClientEvent | DoneActorEvent<unknown, string> | ErrorActorEvent<unknown, string>

const clientSetup = setup({
  types: {
    input: {} as ClientInput,
    context: {} as Context,
    events: {} as Event,
  },
  actors: {
    session: sessionMachine,
    supervisor: groupSupervisorMachine,
    pause: call<void, { readonly forMs: number }>('pause'),
  },
  actions: {
    reportTaskEnded: effect<{ readonly id: string }>('reportTaskEnded'),
    /** A stop has begun: nobody need wait any longer for what they wait for. */
    reportStopping: effect('reportStopping'),
    /** Every task that is not among these has ended. */
    reportStopped: effect<{ readonly tasks: readonly string[] }>('reportStopped'),
    /** A machine of this library failed: all terms are told to end. */
    cutEverything: effect<{ readonly error: PlainError }>('cutEverything'),
    noteTask: assign(({ context, event }) => {
      assertEvent(event, 'task.start')
      return { tasks: [...context.tasks, event.task] }
    }),
    forgetTask: assign(({ context }, { id }: { id: string }) => ({
      tasks: context.tasks.filter((task) => task.id !== id),
      ended: context.ended.filter((ended) => ended !== id),
    })),
    forgetTransient: assign(({ context }) => {
      const tasks = context.tasks.filter((task) => isGroup(task) || task.survives === 'stop')
      const left = new Set(tasks.map(({ id }) => id))
      return { tasks, ended: context.ended.filter((id) => left.has(id)) }
    }),
    noteEnded: assign(({ context }, { id }: { id: string }) => ({ ended: [...context.ended, id] })),
    noteSession: assign(({ event }) => {
      assertEvent(event, 'session.opened')
      return { session: event.session }
    }),
    noteLoss: assign({ session: null }),
    noteSupervisorEnd: assign(({ context }, { id }: { id: string }) => ({
      supervisors: context.supervisors.filter((supervisor) => supervisor !== id),
    })),
    removeSupervisor: stopChild((_, { id }: { id: string }) => id),
    closeSession: sendTo('session', { type: 'session.close' }),
    tellSession: sendTo('session', ({ event }) => event),
  },
  guards: {
    isDeclared: ({ context }, { id }: { id: string }) => context.tasks.some((task) => task.id === id),
    hasEnded: ({ context }, { id }: { id: string }) => context.ended.includes(id),
    hasNoSupervisors: ({ context }) => context.supervisors.length === 0,
    restartWasAsked: stateIn({ active: { stopping: { wish: 'startAgain' } } }),
    stopWasAsked: stateIn({ active: { stopping: { wish: 'end' } } }),
    recoversToStop: stateIn({ recovering: 'toStop' }),
  },
})

/** Who is told what of the news that the session brings: offers go to those whose leases they are, versions to their groups. */
function deliveries({ supervisors, tasks }: Context, event: Event): readonly { to: string; news: SupervisorCommand }[] {
  const freed = event.type === 'inbox.read' ? event.inbox.freed : event.type === 'lease.freed' ? [event.lease] : []
  const versions: Readonly<Record<string, number>> = event.type === 'inbox.read' ? event.inbox.groups : {}
  const found: { to: string; news: SupervisorCommand }[] = []
  // While the client stops, those that have ended are gone already.
  if (freed.length > 0 && supervisors.includes(ELECTIONS)) {
    found.push({ to: ELECTIONS, news: { type: 'leases.freed', leases: freed } })
  }
  for (const task of tasks) {
    if (!isGroup(task) || !supervisors.includes(task.id)) continue
    const { name, partitions } = task.group
    const leases = freed.filter((lease) => partitionOf(name, partitions, lease) !== null)
    if (leases.length > 0) found.push({ to: task.id, news: { type: 'leases.freed', leases } })
    if (event.type === 'members.changed' && event.group === name)
      found.push({ to: task.id, news: { type: 'group.changed', group: name } })
    if (Object.hasOwn(versions, name))
      found.push({ to: task.id, news: { type: 'group.changed', group: name, version: versions[name]! } })
  }
  return found
}

const client = clientSetup.extend({
  actions: {
    spawnSupervisors: clientSetup.assign(({ context, spawn }) => {
      const groups = context.tasks.filter(isGroup)
      spawn('supervisor', { id: ELECTIONS, input: { group: null, session: null } })
      for (const { group } of groups) spawn('supervisor', { id: groupId(group.name), input: { group, session: null } })
      return { session: null, ended: [], supervisors: [ELECTIONS, ...groups.map(({ group }) => groupId(group.name))] }
    }),
    startChildren: clientSetup.enqueueActions(({ context, enqueue }) => {
      for (const task of context.tasks) if (isChild(task)) enqueue.sendTo(ELECTIONS, startOf(task))
    }),
    startTask: clientSetup.enqueueActions(({ event, enqueue }) => {
      assertEvent(event, 'task.start')
      if (isChild(event.task)) enqueue.sendTo(ELECTIONS, startOf(event.task))
    }),
    spawnGroup: clientSetup.assign(({ context, event, spawn }) => {
      assertEvent(event, 'task.start')
      if (!isGroup(event.task)) return {}
      const { group } = event.task
      spawn('supervisor', { id: groupId(group.name), input: { group, session: context.session } })
      return { supervisors: [...context.supervisors, groupId(group.name)] }
    }),
    stopTask: clientSetup.enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'task.stop')
      const task = context.tasks.find(({ id }) => id === event.id)
      if (!task) return
      if (isGroup(task)) enqueue.sendTo(task.id, { type: 'supervisor.stop' })
      else enqueue.sendTo(ELECTIONS, { type: 'children.stop', cohort: cohortOf(task.number), ids: [task.id] })
    }),
    stopSupervisors: clientSetup.enqueueActions(({ context, enqueue }) => {
      for (const id of context.supervisors) enqueue.sendTo(id, { type: 'supervisor.stop' })
    }),
    dropSupervisors: clientSetup.enqueueActions(({ context, enqueue }) => {
      for (const id of context.supervisors) enqueue.stopChild(id)
      enqueue.assign({ supervisors: [] })
    }),
    tellSupervisors: clientSetup.enqueueActions(({ context, event, enqueue }) => {
      for (const id of context.supervisors) enqueue.sendTo(id, event)
    }),
    deliver: clientSetup.enqueueActions(({ context, event, enqueue }) => {
      for (const { to, news } of deliveries(context, event)) enqueue.sendTo(to, news)
    }),
  },
})

const id = ({ event }: { readonly event: { readonly id: string } }) => ({ id: event.id })
const started = ({ event }: { readonly event: { readonly task: TaskSpec } }) => ({ id: event.task.id })
const actorId = ({ event }: { readonly event: { readonly actorId: string } }) => ({ id: event.actorId })
const forget = { type: 'forgetTask', params: id } as const
const reportEnded = { type: 'reportTaskEnded', params: id } as const
const cutEverything = {
  type: 'cutEverything',
  params: ({ event }: { readonly event: { readonly error: unknown } }) => ({ error: plainError(event.error) }),
} as const
const reportStopped = {
  type: 'reportStopped',
  params: ({ context }: { readonly context: Context }) => ({ tasks: context.tasks.map(({ id }) => id) }),
} as const

const stop = ['forgetTransient', 'reportStopping'] as const
const recovered = [{ guard: 'recoversToStop', target: 'active.stopping' }, { target: 'active' }] as const

/** While nothing runs, a declaration is only noted, and its end needs nobody. */
const declarations = {
  'task.start': { actions: 'noteTask' },
  'task.stop': { actions: [forget, reportEnded] },
} as const

export const clientMachine = client.createMachine({
  id: 'client',
  context: ({ input }) => ({ ...input, tasks: [], session: null, supervisors: [], ended: [] }),
  initial: 'idle',
  on: {
    // Of no concern to a state that does not name them: among them what comes late from a store or a child.
    START: {},
    STOP: {},
    'session.opened': {},
    'session.lost': {},
    'session.doubted': {},
    'session.revoked': {},
    'store.restarted': {},
    'inbox.read': {},
    'lease.freed': {},
    'members.changed': {},
    'child.ended': {},
    'partition.resting': {},
    'partition.rested': {},
    'xstate.done.actor.*': {},
    'xstate.error.actor.*': {},
  },
  states: {
    idle: {
      on: {
        ...declarations,
        START: 'active',
        STOP: { target: 'stopped', actions: stop },
      },
    },
    active: {
      description: 'The session lives as long as this state: through the whole stop, up to its own end.',
      entry: ['spawnSupervisors', 'startChildren'],
      exit: 'dropSupervisors',
      invoke: {
        id: 'session',
        src: 'session',
        input: ({ context: { renewIntervalMs, pollIntervalMs } }) => ({ renewIntervalMs, pollIntervalMs }),
      },
      initial: 'running',
      states: {
        running: {
          on: {
            'task.start': { actions: ['noteTask', 'startTask', 'spawnGroup'] },
            'task.stop': { actions: ['stopTask', forget] },
            'child.ended': { actions: [forget, reportEnded] },
            'xstate.done.actor.*': {
              actions: [
                { type: 'removeSupervisor', params: actorId },
                { type: 'noteSupervisorEnd', params: actorId },
                { type: 'forgetTask', params: actorId },
                { type: 'reportTaskEnded', params: actorId },
              ],
            },
            STOP: { target: 'stopping', actions: stop },
          },
        },
        stopping: {
          type: 'parallel',
          states: {
            order: {
              initial: 'handingOver',
              states: {
                handingOver: {
                  description: 'Work first, then the leases. The session goes on renewing.',
                  entry: 'stopSupervisors',
                  always: { guard: 'hasNoSupervisors', target: 'closing' },
                  on: {
                    'xstate.done.actor.*': [
                      {
                        guard: { type: 'isDeclared', params: actorId },
                        actions: [
                          { type: 'removeSupervisor', params: actorId },
                          { type: 'noteSupervisorEnd', params: actorId },
                          { type: 'noteEnded', params: actorId },
                        ],
                      },
                      {
                        actions: [
                          { type: 'removeSupervisor', params: actorId },
                          { type: 'noteSupervisorEnd', params: actorId },
                          { type: 'reportTaskEnded', params: actorId },
                        ],
                      },
                    ],
                  },
                },
                closing: {
                  entry: 'closeSession',
                  on: {
                    'xstate.done.actor.session': [
                      { guard: 'restartWasAsked', target: '#client.active', reenter: true, actions: reportStopped },
                      { target: '#client.stopped' },
                    ],
                  },
                },
              },
            },
            wish: {
              initial: 'end',
              states: {
                end: { on: { START: 'startAgain' } },
                startAgain: { on: { STOP: 'end' } },
              },
            },
          },
          on: {
            'task.start': { actions: ['noteTask', { type: 'noteEnded', params: started }] },
            'task.stop': [
              { guard: { type: 'hasEnded', params: id }, actions: [forget, reportEnded] },
              { actions: forget },
            ],
            'child.ended': [
              { guard: { type: 'isDeclared', params: id }, actions: { type: 'noteEnded', params: id } },
              { actions: reportEnded },
            ],
            // What was declared since the first one.
            STOP: { actions: stop },
          },
        },
      },
      on: {
        'session.opened': { actions: ['noteSession', 'tellSupervisors'] },
        'session.lost': { actions: ['noteLoss', 'tellSupervisors'] },
        'store.restarted': { actions: 'tellSupervisors' },
        'inbox.read': { actions: 'deliver' },
        'lease.freed': { actions: 'deliver' },
        'members.changed': { actions: 'deliver' },
        'session.doubted': { actions: 'tellSession' },
        'session.revoked': { actions: 'tellSession' },
        'xstate.error.actor.*': [
          { guard: 'stopWasAsked', target: 'recovering.toStop', actions: cutEverything },
          // What was about to end has ended by this.
          { target: 'recovering.toRun', actions: [cutEverything, reportStopped] },
        ],
      },
    },
    recovering: {
      description:
        'A machine of this library failed. After one lease duration nothing of it is left, and everything begins anew.',
      initial: 'toRun',
      invoke: {
        src: 'pause',
        input: ({ context }) => ({ forMs: context.leaseDurationMs }),
        onDone: recovered,
        onError: recovered,
      },
      states: {
        toRun: { on: { STOP: { target: '#client.active.stopping', actions: stop } } },
        toStop: { on: { START: 'toRun', STOP: { actions: stop } } },
      },
      on: declarations,
    },
    stopped: {
      entry: reportStopped,
      on: {
        ...declarations,
        START: 'active',
        STOP: { target: 'stopped', reenter: true, actions: stop },
      },
    },
  },
})
