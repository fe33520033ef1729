import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Event, scheduleLoopMachine } from '../../src/machines/scheduleLoop.ts'
import type { Schedule } from '../../src/model/schedule.ts'
import { Runs } from './calls.ts'
import { Stage, unanswered, unhandledFailures, unreached } from './stage.ts'

const fixedRate = (everyMs: number, initialDelayMs = 0): Schedule => ({ kind: 'fixedRate', everyMs, initialDelayMs })
const fixedDelay = (everyMs: number, initialDelayMs = 0): Schedule => ({ kind: 'fixedDelay', everyMs, initialDelayMs })
const STOP = { type: 'work.stop' } as const

function loop(schedule: Schedule) {
  const stage = new Stage()
  const runs = new Runs()
  const term = { isValid: true }
  const actor = stage.start(
    scheduleLoopMachine.provide({
      actors: { work: runs.logic },
      actions: stage.effects('armTimer', 'disarmTimer', 'reportSkipped'),
      guards: { termIsValid: () => term.isValid },
    }),
    { lease: 'report', token: 7, work: 'report', schedule },
  )
  return {
    actor,
    runs,
    stage,
    term,
    /** The timer comes, at its time or later. */
    due: (dueMs: number, nowMs = dueMs) => actor.send({ type: 'timer.due', dueMs, nowMs }),
    settle: (atMs: number, settled = {}) => runs.last.settle({ atMs, ...settled }),
    is: (value: 'delaying' | 'waiting' | 'running') => actor.getSnapshot().matches(value),
    /** What the timer was set to last. */
    get armed() {
      return stage.log.findLast((line) => line.startsWith('armTimer'))
    },
    get skipped() {
      return stage.log.filter((line) => line.startsWith('reportSkipped')).map((line) => Number(line.split(' ').at(-1)))
    },
  }
}

describe('the first run of a term', () => {
  test('waits for the initial delay, counted from the start of the term', () => {
    const { stage, runs, due } = loop(fixedRate(100, 30))
    expect(stage.log).toEqual(['armTimer 30'])
    expect(runs.made).toEqual([])
    due(1_030)
    expect(runs.last.input).toEqual({ lease: 'report', token: 7, work: 'report', run: 1, partition: undefined })
  })

  test('does not take place where the term is no longer valid', () => {
    const { runs, due, term, stage, actor } = loop(fixedRate(100))
    term.isValid = false
    due(1_000)
    expect(runs.made).toEqual([])
    expect(stage.heard[0]).toEqual({ type: 'work.settled', outcome: 'COMPLETED', fatal: false })
    expect(actor.getSnapshot().status).toBe('done')
  })

  test('stopped before it, the loop is over at once', () => {
    const { actor, stage } = loop(fixedRate(100, 30))
    actor.send(STOP)
    expect(actor.getSnapshot().status).toBe('done')
    expect(stage.log).toEqual(['armTimer 30', 'disarmTimer'])
    expect(stage.news).toEqual(['work.settled', 'xstate.done.actor.scheduleLoop'])
  })
})

describe('the runs that follow', () => {
  test('a fixed delay counts from the end of a run', () => {
    const { due, settle, armed, runs } = withGetters(loop(fixedDelay(100)))
    due(1_000)
    settle(1_234)
    expect(armed()).toBe('armTimer 1334')
    due(1_334, 1_400)
    expect(runs.last.input.run).toBe(2)
    settle(1_500)
    expect(armed()).toBe('armTimer 1600')
  })

  test('a fixed rate stays on the grid of its first start', () => {
    const { due, settle, armed } = withGetters(loop(fixedRate(100)))
    due(1_000)
    settle(1_020)
    expect(armed()).toBe('armTimer 1100')
    due(1_100, 1_130)
    settle(1_150)
    expect(armed()).toBe('armTimer 1200')
  })

  test('a run that overruns skips the starts that it missed, and says how many', () => {
    const { due, settle, armed, skipped } = withGetters(loop(fixedRate(100)))
    due(1_000)
    settle(1_250)
    expect(armed()).toBe('armTimer 1300')
    due(1_300)
    expect(skipped()).toEqual([0, 2])
  })

  test('a run that ends on the grid is followed at once', () => {
    const { due, settle, armed } = withGetters(loop(fixedRate(100)))
    due(1_000)
    settle(1_200)
    expect(armed()).toBe('armTimer 1200')
  })

  test('after a sleep there is one run, for the latest start, and no burst', () => {
    const { due, settle, armed, skipped, runs } = withGetters(loop(fixedRate(100)))
    due(1_000)
    settle(1_010)
    due(1_100, 3_640)
    expect(runs.made).toHaveLength(2)
    expect(skipped()).toEqual([0, 25])
    settle(3_650)
    expect(armed()).toBe('armTimer 3700')
    due(3_700)
    expect(skipped()).toEqual([0, 25, 0])
  })

  test('a sleep before the first start keeps to its grid, too', () => {
    const { due, settle, armed, skipped } = withGetters(loop(fixedRate(100, 50)))
    due(1_050, 1_270)
    expect(skipped()).toEqual([2])
    settle(1_280)
    expect(armed()).toBe('armTimer 1350')
  })

  test('a failed run does not end the loop', () => {
    const { due, settle, is } = loop(fixedDelay(100))
    due(1_000)
    settle(1_010, { outcome: 'FAILED', error: { name: 'Error', message: 'no disk' } })
    expect(is('waiting')).toBe(true)
  })

  test('a fatal one does, and says so', () => {
    const { due, settle, stage, actor } = loop(fixedDelay(100))
    due(1_000)
    settle(1_010, { outcome: 'FAILED', fatal: true, error: { name: 'FatalWorkError', message: 'no disk' } })
    expect(actor.getSnapshot().status).toBe('done')
    expect(stage.heard[0]).toEqual({
      type: 'work.settled',
      outcome: 'FAILED',
      fatal: true,
      error: { name: 'FatalWorkError', message: 'no disk' },
    })
  })

  test('never run beside each other: a timer that comes during a run starts nothing', () => {
    const { due, runs, is } = loop(fixedRate(100))
    due(1_000)
    due(1_100)
    expect(runs.made).toHaveLength(1)
    expect(is('running')).toBe(true)
  })

  test('end when the term is no longer valid', () => {
    const { due, settle, term, runs, actor } = loop(fixedRate(100))
    due(1_000)
    settle(1_010)
    term.isValid = false
    due(1_100)
    expect(runs.made).toHaveLength(1)
    expect(actor.getSnapshot().status).toBe('done')
  })
})

describe('a stop', () => {
  test('between two runs ends the loop at once, and disarms its timer', () => {
    const { due, settle, actor, stage } = loop(fixedRate(100))
    due(1_000)
    settle(1_010)
    stage.take()
    actor.send(STOP)
    expect(actor.getSnapshot().status).toBe('done')
    expect(stage.log).toEqual(['disarmTimer'])
  })

  test('during a run is passed on once, and the loop waits for the run', () => {
    const { due, actor, runs, stage, settle } = loop(fixedRate(100))
    due(1_000)
    actor.send(STOP)
    actor.send(STOP)
    due(1_100)
    expect(runs.last).toMatchObject({ interrupts: 1, state: 'running' })
    expect(stage.news).toEqual([])
    settle(1_120, { outcome: 'CANCELLED' })
    expect(stage.heard[0]).toEqual({ type: 'work.settled', outcome: 'CANCELLED', fatal: false })
    expect(runs.made).toHaveLength(1)
  })

  test('a fatal end after a stop is told as it was', () => {
    const { due, actor, stage, settle } = loop(fixedRate(100))
    due(1_000)
    actor.send(STOP)
    settle(1_120, { outcome: 'FAILED', fatal: true })
    expect(stage.heard[0]).toMatchObject({ outcome: 'FAILED', fatal: true })
  })
})

test('a run that cannot even be run fails the loop: nobody must take it for an idle one', () => {
  const { due, settle, runs, actor, stage } = loop(fixedRate(100))
  due(1_000)
  settle(1_010)
  runs.isBroken = true
  due(1_100)
  expect(actor.getSnapshot().status).toBe('error')
  expect(stage.news).toEqual(['xstate.error.actor.scheduleLoop'])
})

test('whatever the timers and the runs take, starts stay on the grid, are never early, and every one is run or reported', () => {
  const someMs = fc.nat(1_000)
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 300 }),
      fc.array(fc.tuple(someMs, someMs), { maxLength: 30 }),
      (everyMs, steps) => {
        const { due, settle, skipped, armed } = withGetters(loop(fixedRate(everyMs)))
        let dueMs = 1_000
        let slots = 0
        for (const [lateMs, takesMs] of steps) {
          const nowMs = dueMs + lateMs
          due(dueMs, nowMs)
          slots += 1 + skipped().at(-1)!
          const slotMs = 1_000 + (slots - 1) * everyMs
          expect(slotMs).toBeLessThanOrEqual(nowMs)
          expect(nowMs - slotMs).toBeLessThan(everyMs)
          settle(nowMs + takesMs)
          dueMs = Number(armed()!.split(' ')[1])
          expect(dueMs).toBeGreaterThanOrEqual(nowMs + takesMs)
          expect((dueMs - 1_000) % everyMs).toBe(0)
        }
      },
    ),
    { numRuns: 50 },
  )
})

describe('every state and every event', () => {
  const events: Readonly<Record<Event['type'], true>> = { 'work.stop': true, 'work.settled': true, 'timer.due': true }

  test('no event is left without an answer', () => {
    expect(unanswered(scheduleLoopMachine, Object.keys(events))).toEqual([])
  })

  test('the only failure that it does not answer is the one that is meant to be its own', () => {
    expect(unhandledFailures(scheduleLoopMachine)).toEqual(['scheduleLoop.running invokes work'])
  })

  test('every state was reached here', () => {
    expect(unreached(scheduleLoopMachine)).toEqual([])
  })
})

/** Read anew at each call. */
function withGetters(made: ReturnType<typeof loop>) {
  return { ...made, armed: () => made.armed, skipped: () => made.skipped }
}
