/**
 * A schedule within one term: wait, run, wait. Stopped while it waits, it is over at once; stopped while it runs, it passes the
 * stop on and waits for the run. It never runs two at a time and never catches up on missed starts.
 */
import { assertEvent, assign, sendParent, sendTo, setup } from 'xstate'
import { type Schedule, type Start, slotOfWakeUp, startAfterRun } from '../model/schedule.ts'
import { conversation, effect, question } from './slots.ts'
import { type TermKey, termKey } from './term.ts'
import type { RunSettled, WorkCommand, WorkInput, WorkSettled } from './work.ts'

export interface ScheduleLoopInput extends Omit<WorkInput, 'run'> {
  readonly schedule: Schedule
}

export interface Context extends ScheduleLoopInput {
  /** Runs so far. */
  readonly run: number
  /** The slot of the present or of the last run, on the runtime's clock. */
  readonly startMs: number
  readonly next: Start
}

export interface TimerDue {
  readonly type: 'timer.due'
  /** What the timer was set to, and what the clock said when it came. */
  readonly dueMs: number
  readonly nowMs: number
}

export type Event = WorkCommand | RunSettled | TimerDue

export type WaitFor = { readonly afterMs: number } | { readonly atMs: number }

export const scheduleLoopMachine = setup({
  types: {
    input: {} as ScheduleLoopInput,
    context: {} as Context,
    events: {} as Event,
    children: {} as { run: 'work' },
  },
  actors: {
    work: conversation<WorkCommand, WorkInput, RunSettled>('work'),
  },
  actions: {
    // Loops spend their lives waiting, and there may be thousands: an actor for each wait would double what an idle loop costs.
    armTimer: effect<WaitFor>('armTimer'),
    disarmTimer: effect('disarmTimer'),
    reportSkipped: effect<TermKey & { readonly starts: number }>('reportSkipped'),
    takeSlot: assign(({ context, event }) => {
      assertEvent(event, 'timer.due')
      const slot = slotOfWakeUp(context.schedule, event.dueMs, event.nowMs)
      return { startMs: slot.atMs, next: { atMs: slot.atMs, skipped: context.next.skipped + slot.skipped } }
    }),
    planNext: assign(({ context, event }) => {
      assertEvent(event, 'work.settled')
      return { next: startAfterRun(context.schedule, context.startMs, event.atMs) }
    }),
    countRun: assign({ run: ({ context }) => context.run + 1 }),
    passStopOn: sendTo('run', { type: 'work.stop' }),
    tellExit: sendParent(({ event }): WorkSettled => {
      if (event.type !== 'work.settled') return { type: 'work.settled', outcome: 'COMPLETED', fatal: false }
      const { type, outcome, fatal, error } = event
      return { type, outcome, fatal, error }
    }),
  },
  guards: {
    termIsValid: question<TermKey>('termIsValid'),
    wasFatal: ({ event }) => event.type === 'work.settled' && event.fatal,
  },
}).createMachine({
  id: 'scheduleLoop',
  context: ({ input }) => ({ run: 0, startMs: 0, next: { atMs: 0, skipped: 0 }, ...input }),
  initial: 'delaying',
  on: {
    // A timer that fired while it was being disarmed, a second stop, a second end: nothing to do.
    'timer.due': {},
    'work.stop': {},
    'work.settled': {},
  },
  states: {
    delaying: {
      description: 'Before the first start of this term. Its due time is where the grid begins.',
      entry: { type: 'armTimer', params: ({ context }) => ({ afterMs: context.schedule.initialDelayMs }) },
      exit: 'disarmTimer',
      on: {
        'timer.due': 'starting',
        'work.stop': 'over',
      },
    },
    waiting: {
      description: 'Between two runs.',
      entry: { type: 'armTimer', params: ({ context }) => ({ atMs: context.next.atMs }) },
      exit: 'disarmTimer',
      on: {
        'timer.due': 'starting',
        'work.stop': 'over',
      },
    },
    starting: {
      description:
        'The clock decides once more, since a timer may come late: which slot is this, and is the term still valid?',
      entry: [
        'takeSlot',
        { type: 'reportSkipped', params: ({ context }) => ({ starts: context.next.skipped, ...termKey({ context }) }) },
      ],
      always: [{ guard: { type: 'termIsValid', params: termKey }, target: 'running' }, { target: 'over' }],
    },
    running: {
      initial: 'free',
      entry: 'countRun',
      invoke: {
        id: 'run',
        src: 'work',
        // Without `onError`: a run that cannot even be run is no outcome of work. It fails this loop, and the term outlasts both.
        input: ({ context: { work, lease, token, partition, run } }) => ({ work, lease, token, partition, run }),
      },
      states: {
        free: {
          on: {
            'work.stop': { target: 'interrupted', actions: 'passStopOn' },
            'work.settled': [
              { guard: 'wasFatal', target: '#scheduleLoop.over' },
              { target: '#scheduleLoop.waiting', actions: 'planNext' },
            ],
          },
        },
        interrupted: {
          on: { 'work.settled': '#scheduleLoop.over' },
        },
      },
    },
    over: {
      entry: 'tellExit',
      type: 'final',
    },
  },
})
