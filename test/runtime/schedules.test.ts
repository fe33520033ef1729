/** Scheduled work in terms: when it runs, what a slow, failing or fatal run changes, and what a pause of the process does. */
import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FatalWorkError, fixedDelay, fixedRate, type Schedule, type Term } from '../../src/index.ts'
import { refused } from '../support/road.ts'
import { held, untilAborted } from '../support/work.ts'
import { type Client, LEASE_MS, RENEW_MS, VALID_MS, World } from '../support/world.ts'

let world: World
let client: Client
/** When runs started and ended, counted from the first term. */
let starts: number[]
let startedAtMs: number

beforeEach(() => {
  world = new World()
  client = world.client()
  starts = []
  startedAtMs = world.time.monotonicMs()
})
afterEach(() => world.end())

const nowMs = () => world.time.monotonicMs() - startedAtMs

/** Runs that take so long, one after the other; the last one for all that follow. */
function schedule(schedule: Schedule, ...tookMs: number[]) {
  return client.simba.election('report').schedule(schedule, async () => {
    starts.push(nowMs())
    const ms = tookMs.length > 1 ? tookMs.shift() : tookMs[0]
    if (ms) await world.sleep(ms)
  })
}

async function loseSession(): Promise<void> {
  client.road.block(refused)
  await world.pass(LEASE_MS)
  client.road.heal()
}

describe('a fixed rate', () => {
  test('runs at the start of the term, and then on its grid', async () => {
    schedule(fixedRate('1s'))
    await world.pass(4_500)
    expect(starts).toEqual([0, 1_000, 2_000, 3_000, 4_000])
    expect(client.of('schedule.skipped')).toEqual([])
  })

  test('counts between scheduled starts, however long runs take within their slot', async () => {
    schedule(fixedRate('1s'), 900, 100, 999, 0)
    await world.pass(4_500)
    expect(starts).toEqual([0, 1_000, 2_000, 3_000, 4_000])
  })

  test('skips what a run overruns, tells how much it was, and never runs two at a time or in a burst', async () => {
    schedule(fixedRate('1s'), 3_500, 0)
    await world.pass(6_500)
    expect(starts).toEqual([0, 4_000, 5_000, 6_000])
    expect(client.of('schedule.skipped')).toMatchObject([{ lease: 'report', starts: 3 }])
  })

  test('follows a run that ends on the grid at once', async () => {
    schedule(fixedRate('1s'), 2_000, 0)
    await world.pass(3_500)
    expect(starts).toEqual([0, 2_000, 3_000])
    expect(client.of('schedule.skipped')).toMatchObject([{ starts: 1 }])
  })

  test('runs once after a pause of the process, for the latest slot, and goes on along the grid', async () => {
    schedule(fixedRate('1s'))
    await world.pass(1_500)
    await world.time.block(6_000)
    await world.pass(2_000)
    // One late start for the slot at 7 s; those from 2 s to 6 s fell out.
    expect(starts).toEqual([0, 1_000, 7_500, 8_000, 9_000])
    expect(client.of('schedule.skipped')).toMatchObject([{ starts: 5 }])
  })

  test('counts each missed start once, overrun and pause together', async () => {
    const exit = held()
    client.simba.election('report').schedule(fixedRate('1s'), async () => {
      starts.push(nowMs())
      if (starts.length === 1) await exit.promise
    })
    await world.pass(1_500)
    world.time.setTimer(exit.resolve, 1_200)
    await world.time.block(4_000)
    await world.pass(1_000)
    const skipped = client.of('schedule.skipped').reduce((sum, event) => sum + event.starts, 0)
    const lastSlot = Math.floor((starts.at(-1) ?? 0) / 1_000)
    expect(starts.length + skipped).toBe(lastSlot + 1)
    expect(new Set(starts.map((start) => Math.floor(start / 1_000))).size).toBe(starts.length)
  })

  test('does not mind a wall clock that is set back', async () => {
    schedule(fixedRate('1s'))
    await world.pass(1_500)
    world.time.stepWall(-3_600_000)
    await world.pass(3_000)
    expect(starts).toEqual([0, 1_000, 2_000, 3_000, 4_000])
  })

  test('starts no run after a sleep that was longer than the lease, before there is a new term', async () => {
    const terms: Term[] = []
    client.simba.election('report').schedule(fixedRate('1s'), (term) => {
      term.ensureValid()
      terms.push(term)
    })
    await world.pass(1_500)
    world.time.suspend(LEASE_MS)
    await world.pass(1_500)
    expect(client.of('work.completed').map(({ outcome }) => outcome)).not.toContain('FAILED')
    expect(new Set(terms.map(({ token }) => token)).size).toBe(2)
  })
})

describe('a fixed delay', () => {
  test('counts from the end of a run to the next start', async () => {
    schedule(fixedDelay('1s'), 500, 0, 2_000, 0)
    await world.pass(7_000)
    expect(starts).toEqual([0, 1_500, 2_500, 5_500, 6_500])
    expect(client.of('schedule.skipped')).toEqual([])
  })

  test('runs once after a pause of the process', async () => {
    schedule(fixedDelay('1s'))
    await world.pass(1_500)
    await world.time.block(6_000)
    await world.pass(1_100)
    expect(starts).toEqual([0, 1_000, 7_500, 8_500])
  })

  test('counts from the end of a run that has failed, too', async () => {
    client.simba.election('report').schedule(fixedDelay('1s'), async () => {
      starts.push(nowMs())
      await world.sleep(500)
      throw new Error('no')
    })
    await world.pass(3_500)
    expect(starts).toEqual([0, 1_500, 3_000])
  })
})

describe('an initial delay', () => {
  test.each([
    ['fixedRate', fixedRate('1s', { initialDelay: '2500ms' })],
    ['fixedDelay', fixedDelay('1s', { initialDelay: '2500ms' })],
  ])('of a %s counts from the start of the term, and the rest from the first start', async (_, delayed) => {
    schedule(delayed)
    await world.pass(5_000)
    expect(starts).toEqual([2_500, 3_500, 4_500])
  })

  test('counts anew in each term', async () => {
    const task = schedule(fixedRate('1h', { initialDelay: '4s' }))
    await world.pass(5_000)
    expect(starts).toEqual([4_000])
    await loseSession()
    await world.pass(RENEW_MS)
    expect(task.term?.isValid).toBe(true)
    const termStartedMs = LEASE_MS + 5_000
    await world.pass(LEASE_MS)
    expect(starts).toHaveLength(2)
    expect(starts[1]).toBeGreaterThanOrEqual(termStartedMs + 4_000)
    expect(client.of('work.completed').map(({ run }) => run)).toEqual([1, 1])
  })

  test('of 0 is none', async () => {
    schedule(fixedRate('1h', { initialDelay: 0 }))
    await world.pass(0)
    expect(starts).toEqual([0])
  })
})

describe('a run', () => {
  test('that fails is published, and the loop goes on', async () => {
    client.simba.election('report').schedule(fixedRate('1s'), () => {
      starts.push(nowMs())
      if (starts.length !== 2) throw new Error(`run ${starts.length}`)
    })
    await world.pass(3_500)
    expect(starts).toEqual([0, 1_000, 2_000, 3_000])
    expect(client.of('work.completed').map(({ run, outcome, error }) => [run, outcome, error?.message])).toEqual([
      [1, 'FAILED', 'run 1'],
      [2, 'COMPLETED', undefined],
      [3, 'FAILED', 'run 3'],
      [4, 'FAILED', 'run 4'],
    ])
    expect(client.of('term.started')).toHaveLength(1)
  })

  test('that fails fatally ends the loop and steps the election down for one lease duration', async () => {
    client.simba.election('report').schedule(fixedRate('1s'), () => {
      starts.push(nowMs())
      if (starts.length === 2) throw new FatalWorkError('no')
    })
    await world.pass(1_500)
    expect(client.of('term.ended')).toMatchObject([{ reason: 'fatal-work' }])
    expect(client.of('election.stepped-down')).toMatchObject([{ restMs: LEASE_MS }])
    await world.pass(LEASE_MS)
    // The rest, then a new term, whose grid begins with it.
    expect(starts.slice(0, 3)).toEqual([0, 1_000, 1_000 + LEASE_MS])
  })

  test('gets the term of its loop, and knows how many runs there were in it', async () => {
    const terms = new Set<Term>()
    client.simba.election('report').schedule(fixedRate('1s'), (term) => terms.add(term))
    await world.pass(2_500)
    expect(terms.size).toBe(1)
    expect(client.of('work.started').map(({ run }) => run)).toEqual([1, 2, 3])
  })

  test('is not started when the term is out of time, though nobody has told it yet', async () => {
    const task = schedule(fixedRate('1s'))
    await world.pass(1_500)
    const { term } = task
    client.road.block(refused)
    // Longer than the lease: the timer of the schedule and the deadline are both overdue, the timer being older.
    await world.time.block(LEASE_MS)
    await world.settle()
    expect(term?.isValid).toBe(false)
    expect(starts).toEqual([0, 1_000])
  })

  test('that never settles keeps the loop from running again, and is abandoned at the end of the term', async () => {
    const task = client.simba.election('report').schedule(fixedRate('1s'), () => {
      starts.push(nowMs())
      return new Promise(() => {})
    })
    await world.pass(5 * LEASE_MS)
    expect(starts).toEqual([0])
    expect(await world.until(task.stop(), LEASE_MS)).toBeLessThanOrEqual(VALID_MS)
    expect(client.of('work.completed')).toMatchObject([{ outcome: 'ABANDONED' }])
  })

  test('that is interrupted is awaited, and no other one follows', async () => {
    const task = client.simba.election('report').schedule(fixedRate('1s'), async (term) => {
      starts.push(nowMs())
      await untilAborted(term)
      await world.sleep(700)
    })
    await world.pass(500)
    expect(await world.until(task.stop(), LEASE_MS)).toBe(700)
    await world.pass(LEASE_MS)
    expect(starts).toEqual([0])
  })
})

describe('a stop between two runs', () => {
  test('ends the loop at once', async () => {
    const task = schedule(fixedRate('1h'))
    await world.pass(1_500)
    expect(await world.until(task.stop(), LEASE_MS)).toBe(0)
    expect(client.of('handover.completed')).toMatchObject([{ confirmed: true, workMs: 0 }])
    await world.until(client.simba.stop(), LEASE_MS)
    expect(world.time.timers).toBe(0)
  })
})

test('ten thousand runs in one term leave the listeners of its signal as they were', async () => {
  const signals = new Set<AbortSignal>()
  const listeners: number[] = []
  const task = client.simba.election('report').schedule(fixedRate('1ms'), async (term) => {
    signals.add(term.signal)
    // As a run does that waits for I/O with the signal, and takes its listener away again.
    const stop = () => {}
    term.signal.addEventListener('abort', stop)
    await undefined
    term.signal.removeEventListener('abort', stop)
    void term.revoked
    listeners.push(getEventListeners(term.signal, 'abort').length)
  })
  await world.pass(10_000)
  expect(client.of('work.started').length).toBeGreaterThanOrEqual(10_000)
  expect(signals.size).toBe(1)
  expect(new Set(listeners)).toEqual(new Set([0]))
  await world.until(task.stop(), 0)
})

describe('a schedule that is none is refused:', () => {
  test.each([
    ['a period of 0', () => fixedRate(0), 'period is 0; allowed is a duration from 1 ms'],
    ['a period without a unit', () => fixedRate('10'), 'period is "10"; allowed is a duration'],
    ['a delay below 0', () => fixedDelay(-1), 'delay is -1; allowed is a duration from 1 ms'],
    ['an endless delay', () => fixedDelay(Number.POSITIVE_INFINITY), 'delay is Infinity; allowed is'],
    ['a negative initial delay', () => fixedRate('1s', { initialDelay: -1 }), 'initialDelay is -1; allowed is'],
    [
      'an unknown key',
      () => fixedRate('1s', { delay: 5 } as never),
      "fixedRate has no option 'delay'; allowed are initialDelay.",
    ],
    ['an unknown key of the other kind', () => fixedDelay('1s', { x: 5 } as never), "fixedDelay has no option 'x'"],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(message)
  })

  test.each([
    undefined,
    '1m',
    {},
    { kind: 'cron', everyMs: 1_000, initialDelayMs: 0 },
    { kind: 'fixedRate', everyMs: 0, initialDelayMs: 0 },
    { kind: 'fixedRate', everyMs: '1000', initialDelayMs: 0 },
    { kind: 'fixedRate', everyMs: Number.POSITIVE_INFINITY, initialDelayMs: 0 },
    { kind: 'fixedRate', everyMs: Number.NaN, initialDelayMs: 0 },
    { kind: 'fixedRate', everyMs: 1_000, initialDelayMs: -1 },
    { kind: 'fixedRate', everyMs: 1_000, initialDelayMs: null },
    { kind: 'fixedRate', everyMs: 1_000, initialDelayMs: Number.POSITIVE_INFINITY },
    { kind: 'fixedRate', everyMs: 1_000 },
  ])('%j', (wrong) => {
    expect(() => client.simba.election('report').schedule(wrong as never, () => {})).toThrow(
      'allowed is what fixedRate() and fixedDelay() return.',
    )
    expect(() => client.simba.group('g', { partitions: 1 }).schedule(wrong as never, () => {})).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    )
  })

  test('what fixedRate and fixedDelay return is plain data', () => {
    expect(fixedRate('1m', { initialDelay: '10s' })).toEqual({
      kind: 'fixedRate',
      everyMs: 60_000,
      initialDelayMs: 10_000,
    })
    expect(fixedDelay('PT0.5S')).toEqual({ kind: 'fixedDelay', everyMs: 500, initialDelayMs: 0 })
  })
})
