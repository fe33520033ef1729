/**
 * One term: from its grant until nothing of its work is left, or its time is out. However the term ends, the work is interrupted
 * first and its exit awaited next; whoever holds the lease learns of the end only then, and may release.
 */
import { assertEvent, assign, type DoneActorEvent, sendTo, setup } from 'xstate'
import type { TermEndReason } from '../model/endings.ts'
import { plainError } from '../model/errors.ts'
import type { Schedule } from '../model/schedule.ts'
import type { Crash } from './facts.ts'
import { scheduleLoopMachine, type TimerDue } from './scheduleLoop.ts'
import { conversation, effect } from './slots.ts'
import { type TermKey, termKey } from './term.ts'
import type { RunSettled, WorkCommand, WorkInput, WorkSettled } from './work.ts'

export interface TermWorkerInput extends TermKey {
  readonly work: string
  readonly schedule?: Schedule
}

export interface TermWorkerOutput {
  readonly reason: TermEndReason
}

export interface Context extends TermWorkerInput {
  readonly reason: TermEndReason
}

export type TermCommand =
  /** Hand over: the work has the time that the term has left at this moment. */
  | { readonly type: 'term.revoke'; readonly reason: TermEndReason }
  /** The term is over already: the work is told, and nobody waits for it. */
  | { readonly type: 'term.cut'; readonly reason: TermEndReason }

export type Event = TermCommand | WorkSettled | TimerDue | DoneActorEvent<unknown, 'work'>

const termWorkerSetup = setup({
  types: {
    input: {} as TermWorkerInput,
    context: {} as Context,
    events: {} as Event,
    output: {} as TermWorkerOutput,
    children: {} as { work: 'work' | 'scheduleLoop' },
  },
  actors: {
    work: conversation<WorkCommand, WorkInput, RunSettled>('work'),
    scheduleLoop: scheduleLoopMachine,
  },
  actions: {
    reportCrash: effect<Crash>('reportCrash'),
    /** Fixes the deadline and tells the work. */
    revokeTerm: effect<TermKey & { readonly reason: TermEndReason }>('revokeTerm'),
    /** Moves the deadline to now and tells the work. */
    cutTerm: effect<TermKey & { readonly reason: TermEndReason }>('cutTerm'),
    endTerm: effect<TermKey & { readonly reason: TermEndReason }>('endTerm'),
    /** Wakes this actor at the deadline that was fixed by the revoke. */
    armDeadline: effect<TermKey>('armDeadline'),
    disarmDeadline: effect('disarmDeadline'),
    stopWork: sendTo('work', { type: 'work.stop' }),
    noteReason: assign(({ event }) => {
      assertEvent(event, ['term.revoke', 'term.cut'])
      return { reason: event.reason }
    }),
    noteCrash: assign({ reason: 'crashed' as const }),
    noteFatalWork: assign({ reason: 'fatal-work' as const }),
  },
  guards: {
    isScheduled: ({ context }) => context.schedule !== undefined,
    wasFatal: ({ event }) => event.type === 'work.settled' && event.fatal,
  },
})

const crash = ({
  context,
  event,
}: {
  readonly context: Context
  readonly event: { readonly error: unknown }
}): Crash => ({
  lease: context.lease,
  error: plainError(event.error),
})
const withReason = ({ context }: { readonly context: Context }) => ({ reason: context.reason, ...termKey({ context }) })

/** The same for a single run and for a schedule: what differs is who works. */
const reign = termWorkerSetup.createStateConfig({
  initial: 'leading',
  states: {
    leading: {
      on: {
        'term.revoke': {
          target: 'handingOver',
          actions: ['noteReason', { type: 'revokeTerm', params: withReason }, 'stopWork'],
        },
        'term.cut': {
          target: 'handingOver',
          actions: ['noteReason', { type: 'cutTerm', params: withReason }, 'stopWork'],
        },
        'work.settled': [
          {
            guard: 'wasFatal',
            target: '#termWorker.ended',
            actions: ['noteFatalWork', { type: 'revokeTerm', params: withReason }],
          },
          { target: 'idle' },
        ],
      },
    },
    idle: {
      description:
        'The work is done, or has failed; the term goes on until it is ended, so that the work runs once per term.',
      on: {
        'term.revoke': {
          target: '#termWorker.ended',
          actions: ['noteReason', { type: 'revokeTerm', params: withReason }],
        },
        'term.cut': { target: '#termWorker.ended', actions: ['noteReason', { type: 'cutTerm', params: withReason }] },
      },
    },
    handingOver: {
      description: 'The work was interrupted and its exit is awaited, until the deadline that was fixed then.',
      entry: { type: 'armDeadline', params: termKey },
      exit: 'disarmDeadline',
      on: {
        'timer.due': '#termWorker.ended',
        'work.settled': '#termWorker.ended',
        // The session is lost while its work is still leaving: nothing is left to wait for.
        'term.cut': { target: 'handingOver', reenter: true, actions: { type: 'cutTerm', params: withReason } },
      },
    },
  },
})

export const termWorkerMachine = termWorkerSetup.createMachine({
  id: 'termWorker',
  context: ({ input }) => ({ reason: 'stopped', ...input }),
  initial: 'starting',
  on: {
    // A second end of the same term, and an end of the work that came too late: nothing to do.
    'term.revoke': {},
    'term.cut': {},
    'work.settled': {},
    'timer.due': {},
    // A schedule's loop has said so by `work.settled`.
    'xstate.done.actor.work': {},
  },
  states: {
    starting: {
      always: [{ guard: 'isScheduled', target: 'scheduled' }, { target: 'once' }],
    },
    once: {
      ...reign,
      invoke: {
        id: 'work',
        src: 'work',
        input: ({ context }) => ({ work: context.work, run: 1, ...termKey({ context }) }),
        onError: { target: 'outlasting', actions: { type: 'reportCrash', params: crash } },
      },
    },
    scheduled: {
      ...reign,
      invoke: {
        id: 'work',
        src: 'scheduleLoop',
        input: ({ context }) => ({ work: context.work, schedule: context.schedule!, ...termKey({ context }) }),
        onError: { target: 'outlasting', actions: { type: 'reportCrash', params: crash } },
      },
    },
    outlasting: {
      description:
        'A machine of this library failed, and what it ran may still run: told to end, it has until the deadline.',
      entry: ['noteCrash', { type: 'revokeTerm', params: withReason }, { type: 'armDeadline', params: termKey }],
      exit: 'disarmDeadline',
      on: {
        'timer.due': 'ended',
        'term.cut': { target: 'outlasting', reenter: true, actions: { type: 'cutTerm', params: withReason } },
      },
    },
    ended: {
      entry: { type: 'endTerm', params: withReason },
      type: 'final',
    },
  },
  output: ({ context }) => ({ reason: context.reason }),
})
