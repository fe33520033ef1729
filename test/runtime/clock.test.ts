/** The one clock of a client: what counts as time that has passed, and who is woken when. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createClock } from '../../src/runtime/clock/clock.ts'
import { HandTime } from '../support/hand-time.ts'

function stage() {
  const time = new HandTime()
  const jumps: number[] = []
  const errors: unknown[] = []
  const clock = createClock({
    source: time,
    onJump: (jumpMs) => jumps.push(jumpMs),
    onError: (error) => errors.push(error),
  })
  const startMs = clock.now()
  /** What was woken, and how long after the start. */
  const woken: string[] = []
  const passedMs = () => clock.now() - startMs
  const wakeIn = (ms: number, name = `${ms}`) =>
    clock.wakeAt(startMs + ms, () => woken.push(`${name} at ${passedMs()}`))
  return { time, clock, jumps, errors, woken, wakeIn, passedMs, startMs }
}

describe('the time that has passed', () => {
  test('is what both clocks agree on', async () => {
    const { time, passedMs, jumps } = stage()
    await time.pass(1_234)
    expect(passedMs()).toBe(1_234)
    expect(jumps).toEqual([])
  })

  test('includes a forward jump of the wall clock, which is told once', async () => {
    const { time, passedMs, jumps } = stage()
    time.stepWall(5_000)
    expect(passedMs()).toBe(5_000)
    expect(passedMs()).toBe(5_000)
    await time.pass(100)
    expect(passedMs()).toBe(5_100)
    expect(jumps).toEqual([5_000])
  })

  test('includes a sleep of the machine, in which the monotonic clock stands still', async () => {
    const { time, passedMs, jumps } = stage()
    await time.pass(1_000)
    time.suspend(3_600_000)
    expect(passedMs()).toBe(3_601_000)
    expect(jumps).toEqual([3_600_000])
  })

  test('never goes back when the wall clock does, and does not stop either', async () => {
    const { time, passedMs, jumps } = stage()
    await time.pass(1_000)
    time.stepWall(-3_600_000)
    expect(passedMs()).toBe(1_000)
    await time.pass(500)
    expect(passedMs()).toBe(1_500)
    expect(jumps).toEqual([])
  })

  test('counts a step forward in full where the wall clock went back before', () => {
    const { time, passedMs, jumps } = stage()
    time.stepWall(-60_000)
    expect(passedMs()).toBe(0)
    time.stepWall(60_000)
    expect(passedMs()).toBe(60_000)
    expect(jumps).toEqual([60_000])
  })

  test('does not include noise of up to 50 ms, and includes it all once it adds up to more', () => {
    const { time, passedMs, jumps } = stage()
    time.stepWall(30)
    expect(passedMs()).toBe(0)
    time.stepWall(20)
    expect(passedMs()).toBe(0)
    time.stepWall(1)
    expect(passedMs()).toBe(51)
    expect(jumps).toEqual([51])
  })

  for (const when of ['made', 'read']) {
    test(`knows no jump where the process is held up between two readings when it is ${when}`, () => {
      let passedMs = 1_000
      let heldUpMs = when === 'made' ? 80 : 0
      const read = (startMs: number) => {
        const readingMs = startMs + passedMs
        passedMs += heldUpMs
        return readingMs
      }
      const source = {
        monotonicMs: () => read(0),
        wallMs: () => read(1_700_000_000_000),
        setTimer: () => {},
        clearTimer: () => {},
      }
      const jumps: number[] = []
      const clock = createClock({ source, onJump: (jumpMs) => jumps.push(jumpMs), onError: () => {} })
      heldUpMs = when === 'read' ? 80 : 0
      clock.now()
      heldUpMs = 0
      expect(clock.now()).toBe(passedMs)
      expect(jumps).toEqual([])
    })
  }

  test('never goes back and never falls behind the monotonic clock, whatever the wall clock does', async () => {
    const move = fc.record({ monotonicMs: fc.nat(1_000), wallMs: fc.integer({ min: -100_000, max: 100_000 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 50 }), async (moves) => {
        const { time, passedMs } = stage()
        let before = 0
        let monotonicMs = 0
        for (const move of moves) {
          await time.pass(move.monotonicMs)
          time.stepWall(move.wallMs)
          monotonicMs += move.monotonicMs
          const now = passedMs()
          expect(now - before).toBeGreaterThanOrEqual(move.monotonicMs)
          expect(now).toBeGreaterThanOrEqual(monotonicMs)
          before = now
        }
      }),
    )
  })

  test('is told apart from the wall clock, which is handed on as it is', () => {
    const { time, clock } = stage()
    time.stepWall(-5_000)
    expect(clock.wallMs()).toBe(time.wallMs())
  })
})

describe('whoever wants to be woken', () => {
  test('is woken at the instant, and never before', async () => {
    const { time, woken, wakeIn } = stage()
    wakeIn(250)
    await time.pass(249)
    expect(woken).toEqual([])
    await time.pass(1)
    expect(woken).toEqual(['250 at 250'])
    await time.pass(10_000)
    expect(woken).toHaveLength(1)
  })

  test('is woken at an instant between two milliseconds, not before it', async () => {
    const { time, woken, wakeIn } = stage()
    wakeIn(250.4)
    await time.pass(1_000)
    expect(woken).toEqual(['250.4 at 251'])
  })

  test('is woken in the order of the instants, and of asking among equals', async () => {
    const { time, woken, wakeIn } = stage()
    wakeIn(300, 'c')
    wakeIn(100, 'a')
    wakeIn(200, 'b1')
    wakeIn(200, 'b2')
    wakeIn(200, 'b3')
    await time.pass(300)
    expect(woken).toEqual(['a at 100', 'b1 at 200', 'b2 at 200', 'b3 at 200', 'c at 300'])
  })

  test('is not woken once it is cancelled, and may cancel twice, or too late', async () => {
    const { time, woken, wakeIn } = stage()
    const cancel = wakeIn(100, 'cancelled')
    const tooLate = wakeIn(50, 'woken')
    cancel()
    cancel()
    await time.pass(100)
    tooLate()
    await time.pass(100)
    expect(woken).toEqual(['woken at 50'])
  })

  test('for an instant that has passed is woken at once, but not before it has asked', async () => {
    const { time, clock, woken, startMs } = stage()
    await time.pass(1_000)
    clock.wakeAt(startMs, () => woken.push('late'))
    expect(woken).toEqual([])
    await time.pass(0)
    expect(woken).toEqual(['late'])
  })

  test('soon after a sleep of the machine is woken soon after it, however far away the instant was', async () => {
    const { time, woken, wakeIn } = stage()
    wakeIn(3_600_000)
    await time.pass(500)
    time.suspend(2 * 3_600_000)
    await time.pass(1_000)
    expect(woken).toHaveLength(1)
  })

  test('is woken after months, through timers that a host can hold', async () => {
    const { time, woken, clock } = stage()
    const monthsMs = 5 * 30 * 24 * 3_600_000
    clock.wakeAt(clock.now() + monthsMs, () => woken.push('woken'))
    expect(time.nextTimerInMs).toBeLessThan(2 ** 31)
    await time.block(monthsMs - 1)
    expect(woken).toEqual([])
    await time.pass(1)
    expect(woken).toEqual(['woken'])
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('at %d is refused', (atMs) => {
    expect(() => stage().clock.wakeAt(atMs, () => {})).toThrow(RangeError)
  })

  test('after a long block is woken once, with all others that are due', async () => {
    const { time, woken, wakeIn } = stage()
    for (const ms of [100, 200, 300]) wakeIn(ms)
    await time.block(10_000)
    expect(woken).toEqual(['100 at 10000', '200 at 10000', '300 at 10000'])
  })

  test('and throws is reported, and the others are woken all the same', async () => {
    const { time, clock, errors, woken, wakeIn, startMs } = stage()
    clock.wakeAt(startMs + 100, () => {
      throw new Error('no')
    })
    wakeIn(100)
    wakeIn(200)
    await time.pass(200)
    expect(errors).toMatchObject([{ message: 'no' }])
    expect(woken).toEqual(['100 at 100', '200 at 200'])
  })
})

describe('while others are being woken', () => {
  test('one that asks for an instant that has passed is woken in the next ring, when I/O has had its turn', async () => {
    const { time, clock, woken, startMs } = stage()
    const again = () => {
      woken.push('woken')
      setImmediate(() => woken.push('I/O'))
      if (woken.length < 5) clock.wakeAt(startMs, again)
    }
    clock.wakeAt(startMs, again)
    await time.pass(0)
    expect(woken).toEqual(['woken', 'I/O', 'woken', 'I/O', 'woken', 'I/O'])
  })

  test('one may ask for more, and cancel others that are due with it', async () => {
    const { time, clock, woken, wakeIn, startMs } = stage()
    clock.wakeAt(startMs + 100, () => {
      cancel()
      wakeIn(150)
    })
    const cancel = wakeIn(100, 'cancelled')
    await time.pass(200)
    expect(woken).toEqual(['150 at 150'])
  })
})

describe('of the host', () => {
  test('there is one timer, however many wait, and none when nobody does', async () => {
    const { time, wakeIn } = stage()
    expect(time.timers).toBe(0)
    const cancels = Array.from({ length: 100 }, (_, index) => wakeIn(1_000 + index))
    expect(time.timers).toBe(1)
    for (const cancel of cancels) cancel()
    expect(time.timers).toBe(0)
  })

  test('no timer is left when the last one was woken', async () => {
    const { time, wakeIn } = stage()
    wakeIn(10)
    await time.pass(10)
    expect(time.timers).toBe(0)
  })

  test('ten thousand that wait are woken in order, half of them cancelled on the way', async () => {
    const { time, clock, startMs } = stage()
    const woken: number[] = []
    const cancels: (() => void)[] = []
    for (let index = 0; index < 10_000; index++) {
      // Steps through all instants in no order: 7,919 is coprime to 10,000.
      const ms = (index * 7_919) % 10_000
      cancels.push(clock.wakeAt(startMs + ms, () => woken.push(ms)))
    }
    for (let index = 0; index < 10_000; index += 2) cancels[index]?.()
    await time.block(10_000)
    expect(woken).toHaveLength(5_000)
    expect(woken).toEqual(woken.toSorted((a, b) => a - b))
    expect(time.timers).toBe(0)
  })
})

test('any asking, cancelling and passing of time wakes the same as a list that is searched', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('wake' as const), ms: fc.nat(500) }),
    fc.record({ kind: fc.constant('cancel' as const), which: fc.nat(30) }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(200) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { time, woken, wakeIn, passedMs } = stage()
      const twin: { name: string; atMs: number; order: number }[] = []
      const cancels: (() => void)[] = []
      const expected: string[] = []
      for (const step of steps) {
        if (step.kind === 'wake') {
          const atMs = passedMs() + step.ms
          const name = `w${cancels.length}`
          twin.push({ name, atMs, order: cancels.length })
          cancels.push(wakeIn(atMs, name))
        } else if (step.kind === 'cancel') {
          cancels[step.which]?.()
          const place = twin.findIndex(({ name }) => name === `w${step.which}`)
          if (place >= 0) twin.splice(place, 1)
        } else {
          const endMs = passedMs() + step.ms
          await time.pass(step.ms)
          const due = twin.filter(({ atMs }) => atMs <= endMs)
          due.sort((a, b) => a.atMs - b.atMs || a.order - b.order)
          for (const one of due) {
            expected.push(`${one.name} at ${one.atMs}`)
            twin.splice(twin.indexOf(one), 1)
          }
        }
      }
      expect(woken).toEqual(expected)
      expect(time.timers).toBe(twin.length > 0 ? 1 : 0)
    }),
    { numRuns: 200 },
  )
})
