/** When runs start, against a twin that counts slots one by one. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Schedule, type Start, slotOfWakeUp, startAfterRun } from '../../src/model/schedule.ts'

const rate = (everyMs: number): Schedule => ({ kind: 'fixedRate', everyMs, initialDelayMs: 0 })
const delay = (everyMs: number): Schedule => ({ kind: 'fixedDelay', everyMs, initialDelayMs: 0 })

/** Steps along the grid until the run is over. */
function simpleStartAfterRun(everyMs: number, startMs: number, endedMs: number): Start {
  let atMs = startMs + everyMs
  let skipped = 0
  while (atMs < endedMs) {
    atMs += everyMs
    skipped += 1
  }
  return { atMs, skipped }
}

/** Steps along the grid as long as the next slot is not in the future. */
function simpleSlotOfWakeUp(everyMs: number, dueMs: number, nowMs: number): Start {
  let atMs = dueMs
  let skipped = 0
  while (atMs + everyMs <= nowMs) {
    atMs += everyMs
    skipped += 1
  }
  return { atMs, skipped }
}

const every = fc.integer({ min: 1, max: 1_000 })
const instant = fc.integer({ min: 0, max: 1_000_000 })
const span = fc.integer({ min: 0, max: 20_000 })

describe('after a run, the next start of a fixed rate', () => {
  test('is the one that a walk along the grid finds', () => {
    fc.assert(
      fc.property(every, instant, span, (everyMs, startMs, tookMs) => {
        const start = startAfterRun(rate(everyMs), startMs, startMs + tookMs)
        expect(start).toEqual(simpleStartAfterRun(everyMs, startMs, startMs + tookMs))
      }),
    )
  })

  test('lies on the grid, not before the end of the run, and less than a period after it unless the run was short', () => {
    fc.assert(
      fc.property(every, instant, span, (everyMs, startMs, tookMs) => {
        const endedMs = startMs + tookMs
        const { atMs, skipped } = startAfterRun(rate(everyMs), startMs, endedMs)
        expect((atMs - startMs) % everyMs).toBe(0)
        expect(atMs).toBeGreaterThan(startMs)
        expect(atMs).toBeGreaterThanOrEqual(endedMs)
        expect(atMs).toBeLessThan(Math.max(endedMs, startMs + 1) + everyMs)
        expect(skipped).toBe((atMs - startMs) / everyMs - 1)
      }),
    )
  })

  test.each([
    ['a run within its slot', 400, { atMs: 2_000, skipped: 0 }],
    ['a run that ends on the grid is followed at once', 1_000, { atMs: 2_000, skipped: 0 }],
    ['a run that overruns by a little skips one start', 1_001, { atMs: 3_000, skipped: 1 }],
    ['a run that takes three and a half slots skips three', 3_500, { atMs: 5_000, skipped: 3 }],
    ['a run that takes no time does not start again at once', 0, { atMs: 2_000, skipped: 0 }],
  ])('%s', (_, tookMs, start) => {
    expect(startAfterRun(rate(1_000), 1_000, 1_000 + tookMs)).toEqual(start)
  })
})

describe('a wake-up of a fixed rate', () => {
  test('stands for the slot that a walk along the grid finds', () => {
    fc.assert(
      fc.property(every, instant, span, (everyMs, dueMs, lateMs) => {
        const slot = slotOfWakeUp(rate(everyMs), dueMs, dueMs + lateMs)
        expect(slot).toEqual(simpleSlotOfWakeUp(everyMs, dueMs, dueMs + lateMs))
      }),
    )
  })

  test('that comes on time stands for its own slot, and one that comes early for no earlier one', () => {
    expect(slotOfWakeUp(rate(1_000), 5_000, 5_000)).toEqual({ atMs: 5_000, skipped: 0 })
    expect(slotOfWakeUp(rate(1_000), 5_000, 4_000)).toEqual({ atMs: 5_000, skipped: 0 })
  })

  test('after a sleep of many slots stands for the latest one: there is no burst', () => {
    expect(slotOfWakeUp(rate(1_000), 5_000, 3_605_999)).toEqual({ atMs: 3_605_000, skipped: 3_600 })
  })
})

test('runs that take any time start on the grid, one at most in each slot, and no slot is counted twice', () => {
  fc.assert(
    fc.property(every, fc.array(fc.tuple(span, span), { maxLength: 30 }), (everyMs, runs) => {
      const starts: number[] = []
      let skipped = 0
      let next: Start = { atMs: 0, skipped: 0 }
      for (const [lateMs, tookMs] of runs) {
        const slot = slotOfWakeUp(rate(everyMs), next.atMs, next.atMs + lateMs)
        skipped += next.skipped + slot.skipped
        starts.push(slot.atMs)
        next = startAfterRun(rate(everyMs), slot.atMs, next.atMs + lateMs + tookMs)
      }
      expect(new Set(starts).size).toBe(starts.length)
      for (const start of starts) expect(start % everyMs).toBe(0)
      const last = starts.at(-1)
      if (last !== undefined) expect(starts.length + skipped).toBe(last / everyMs + 1)
    }),
  )
})

test('a fixed delay counts from the end of a run, and a late wake-up skips nothing', () => {
  fc.assert(
    fc.property(every, instant, span, (everyMs, startMs, tookMs) => {
      const endedMs = startMs + tookMs
      expect(startAfterRun(delay(everyMs), startMs, endedMs)).toEqual({ atMs: endedMs + everyMs, skipped: 0 })
      expect(slotOfWakeUp(delay(everyMs), startMs, endedMs)).toEqual({ atMs: startMs, skipped: 0 })
    }),
  )
})
