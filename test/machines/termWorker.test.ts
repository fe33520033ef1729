import { describe, expect, test } from 'vitest'
import { scheduleLoopMachine } from '../../src/machines/scheduleLoop.ts'
import { type Event, type TermWorkerInput, termWorkerMachine } from '../../src/machines/termWorker.ts'
import { Runs } from './calls.ts'
import { Stage, unanswered, unhandledFailures, unreached } from './stage.ts'

const REVOKE = { type: 'term.revoke', reason: 'stopped' } as const
const CUT = { type: 'term.cut', reason: 'expired' } as const
const DUE = { type: 'timer.due', dueMs: 10, nowMs: 10 } as const
const SCHEDULE = { kind: 'fixedRate', everyMs: 100, initialDelayMs: 0 } as const

/** A term, from its grant. Its work is a single run, or a loop of runs. */
function begin(kind: 'once' | 'scheduled', prepare: (runs: Runs) => void = () => {}) {
  const stage = new Stage()
  const runs = new Runs()
  const clock = { isTermValid: true }
  prepare(runs)
  const input: TermWorkerInput = {
    lease: 'ingest',
    token: 7,
    work: 'ingest',
    ...(kind === 'scheduled' && { schedule: SCHEDULE }),
  }
  const loop = scheduleLoopMachine.provide({
    actors: { work: runs.logic },
    actions: { armTimer() {}, disarmTimer() {}, reportSkipped() {} },
    guards: { termIsValid: () => clock.isTermValid },
  })
  const actor = stage.start(
    termWorkerMachine.provide({
      actors: { work: runs.logic, scheduleLoop: loop },
      actions: stage.effects('reportCrash', 'revokeTerm', 'cutTerm', 'endTerm', 'armDeadline', 'disarmDeadline'),
    }),
    input,
  )
  const due = () => actor.getSnapshot().children.work?.send(DUE)
  if (kind === 'scheduled') due()
  return {
    actor,
    runs,
    stage,
    clock,
    due,
    is: (state: 'leading' | 'idle' | 'handingOver') => actor.getSnapshot().matches({ [kind]: state }),
    get output() {
      return actor.getSnapshot().output
    },
  }
}

describe.each(['once', 'scheduled'] as const)('a term whose work is %s', (kind) => {
  test('runs it in the term that was granted', () => {
    const { runs, is } = begin(kind)
    expect(runs.last.input).toEqual({ lease: 'ingest', token: 7, work: 'ingest', run: 1 })
    expect(is('leading')).toBe(true)
  })

  test('a revoke fixes the deadline and tells the work, in this order, and the term ends with the exit of the work', () => {
    const term = begin(kind)
    term.actor.send(REVOKE)
    expect(term.stage.take()).toEqual(['revokeTerm ingest 7 stopped', 'armDeadline ingest 7'])
    expect(term.runs.last.interrupts).toBe(1)
    expect(term.output).toBeUndefined()
    term.runs.last.settle({ outcome: 'CANCELLED' })
    expect(term.stage.take()).toEqual(['disarmDeadline', 'endTerm ingest 7 stopped'])
    expect(term.output).toEqual({ reason: 'stopped' })
  })

  test("work that does not leave is left behind when the deadline has come, and its late end is nobody's", () => {
    const term = begin(kind)
    term.actor.send(REVOKE)
    term.actor.send(DUE)
    expect(term.output).toEqual({ reason: 'stopped' })
    expect(term.runs.last.state).toBe('left')
    term.runs.last.settle()
    expect(term.output).toEqual({ reason: 'stopped' })
    expect(term.stage.heard).toHaveLength(1)
  })

  test('a second revoke changes nothing, neither the reason nor the deadline', () => {
    const term = begin(kind)
    term.actor.send(REVOKE)
    term.stage.take()
    term.actor.send({ type: 'term.revoke', reason: 'moved' })
    expect(term.stage.log).toEqual([])
    expect(term.runs.last.interrupts).toBe(1)
    term.runs.last.settle()
    expect(term.output).toEqual({ reason: 'stopped' })
  })

  test('a cut tells the work, and its deadline is now', () => {
    const term = begin(kind)
    term.actor.send(CUT)
    expect(term.stage.take()).toEqual(['cutTerm ingest 7 expired', 'armDeadline ingest 7'])
    expect(term.runs.last.interrupts).toBe(1)
    term.actor.send(DUE)
    expect(term.output).toEqual({ reason: 'expired' })
  })

  test('a cut during the handover moves its deadline, and keeps the first reason', () => {
    const term = begin(kind)
    term.actor.send(REVOKE)
    term.stage.take()
    term.actor.send(CUT)
    expect(term.stage.take()).toEqual(['disarmDeadline', 'cutTerm ingest 7 stopped', 'armDeadline ingest 7'])
    term.actor.send(DUE)
    expect(term.output).toEqual({ reason: 'stopped' })
  })

  test('work that says it must not be tried again ends the term at once', () => {
    const term = begin(kind)
    term.runs.last.settle({ outcome: 'FAILED', fatal: true })
    expect(term.output).toEqual({ reason: 'fatal-work' })
    expect(term.stage.log).toEqual(['revokeTerm ingest 7 fatal-work', 'endTerm ingest 7 fatal-work'])
  })

  test('work that fails fatally while it leaves has left', () => {
    const term = begin(kind)
    term.actor.send(REVOKE)
    term.runs.last.settle({ outcome: 'FAILED', fatal: true })
    expect(term.output).toEqual({ reason: 'stopped' })
  })

  test.each(['starts', 'starts, and is revoked meanwhile'])(
    'work that cannot even be run when it %s has until the deadline',
    (when) => {
      const term = begin(kind, (runs) => {
        runs.isBroken = true
      })
      expect(term.actor.getSnapshot().matches('outlasting')).toBe(true)
      expect(term.stage.take()).toEqual([
        expect.stringMatching(/^reportCrash ingest/),
        'revokeTerm ingest 7 crashed',
        'armDeadline ingest 7',
      ])
      if (when !== 'starts') term.actor.send(REVOKE)
      term.actor.send({ type: 'work.settled', outcome: 'COMPLETED', fatal: false })
      expect(term.output).toBeUndefined()
      term.actor.send(DUE)
      expect(term.output).toEqual({ reason: 'crashed' })
      expect(term.stage.log).toEqual(['disarmDeadline', 'endTerm ingest 7 crashed'])
    },
  )

  test('a cut while a failed actor is outlasted leaves nothing to wait for', () => {
    const term = begin(kind, (runs) => {
      runs.isBroken = true
    })
    term.stage.take()
    term.actor.send(CUT)
    expect(term.stage.take()).toEqual([
      'disarmDeadline',
      'cutTerm ingest 7 crashed',
      'revokeTerm ingest 7 crashed',
      'armDeadline ingest 7',
    ])
    term.actor.send(DUE)
    expect(term.output).toEqual({ reason: 'crashed' })
  })
})

describe('work that returns early', () => {
  test.each([
    ['a revoke', REVOKE, 'revokeTerm ingest 7 stopped', 'stopped'],
    ['a cut', CUT, 'cutTerm ingest 7 expired', 'expired'],
  ] as const)('keeps the term until %s, which nothing delays', (_, event, effect, reason) => {
    const term = begin('once')
    term.runs.last.settle()
    expect(term.is('idle')).toBe(true)
    expect(term.stage.log).toEqual([])
    term.actor.send(event)
    expect(term.output).toEqual({ reason })
    expect(term.stage.log).toEqual([effect, `endTerm ingest 7 ${reason}`])
  })

  test('runs once in its term, whether it has succeeded or not', () => {
    const term = begin('once')
    term.runs.last.settle({ outcome: 'FAILED', error: { name: 'Error', message: 'no disk' } })
    term.actor.send(DUE)
    expect(term.is('idle')).toBe(true)
    expect(term.runs.made).toHaveLength(1)
  })
})

test('a later run of a schedule that cannot even be run is a failure of the term, not the end of an idle schedule', () => {
  const term = begin('scheduled')
  term.runs.last.settle()
  term.runs.isBroken = true
  term.due()
  expect(term.actor.getSnapshot().matches('outlasting')).toBe(true)
  expect(term.stage.log).toContain('revokeTerm ingest 7 crashed')
})

test('a schedule that finds its term out of time is over, and the term waits to be told', () => {
  const term = begin('scheduled')
  term.runs.last.settle()
  term.clock.isTermValid = false
  term.due()
  expect(term.is('idle')).toBe(true)
  term.actor.send(CUT)
  expect(term.output).toEqual({ reason: 'expired' })
})

test('a partition is named wherever its term is', () => {
  const stage = new Stage()
  const runs = new Runs()
  const effects = stage.effects('reportCrash', 'revokeTerm', 'cutTerm', 'endTerm', 'armDeadline', 'disarmDeadline')
  const actor = stage.start(
    termWorkerMachine.provide({ actors: { work: runs.logic, scheduleLoop: scheduleLoopMachine }, actions: effects }),
    { lease: 'billing.3', token: 7, partition: 3, work: 'group/billing' },
  )
  expect(runs.last.input).toMatchObject({ lease: 'billing.3', partition: 3 })
  actor.send(REVOKE)
  expect(stage.log).toContain('revokeTerm billing.3 7 3 stopped')
})

describe('every state and every event', () => {
  const events: Readonly<Record<Event['type'], true>> = {
    'term.revoke': true,
    'term.cut': true,
    'work.settled': true,
    'timer.due': true,
    'xstate.done.actor.work': true,
  }

  test('no event is left without an answer', () => {
    expect(unanswered(termWorkerMachine, Object.keys(events))).toEqual([])
  })

  test('no failure of what it invokes is left without an answer', () => {
    expect(unhandledFailures(termWorkerMachine)).toEqual([])
  })

  test('every state was reached here', () => {
    expect(unreached(termWorkerMachine)).toEqual([])
  })
})
