/** What counts as a duration, and what is refused rather than guessed at. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Duration, toMs } from '../../src/runtime/durations.ts'

const ANY = { minMs: 0 }
const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const refuse = (duration: unknown, range = ANY) => expect(() => toMs('pause', duration as Duration, range))

describe('a duration may be', () => {
  test.each([
    [0, 0],
    [1_500, 1_500],
    [0.5, 0.5],
    ['10s', 10 * SECOND],
    ['500ms', 500],
    ['1.5h', 1.5 * HOUR],
    ['.5s', 500],
    ['0s', 0],
    ['1m', MINUTE],
    ['2d', 2 * DAY],
    ['1m 30s', 90 * SECOND],
    ['1m30s', 90 * SECOND],
    ['1h 2m 3s 4ms', HOUR + 2 * MINUTE + 3 * SECOND + 4],
    ['  10 s ', 10 * SECOND],
    ['1 minute, 30 seconds', 90 * SECOND],
    ['3 hours', 3 * HOUR],
    ['1 hr 5 mins 2 secs', HOUR + 5 * MINUTE + 2 * SECOND],
    ['1 day', DAY],
    ['250 milliseconds', 250],
    ['PT1M', MINUTE],
    ['PT1.5S', 1_500],
    ['PT1H30M', 1.5 * HOUR],
    ['PT36H', 36 * HOUR],
    ['P1D', DAY],
    ['P1DT12H', 1.5 * DAY],
    ['P2DT3H4M5.006S', 2 * DAY + 3 * HOUR + 4 * MINUTE + 5_006],
  ])('%j: %d ms', (duration, ms) => {
    expect(toMs('pause', duration, ANY)).toBe(ms)
  })

  test('a Temporal.Duration, which says itself how long it is', () => {
    const units: unknown[] = []
    const duration = { total: (options: { unit: 'milliseconds' }) => units.push(options) && 90_000 }
    expect(toMs('pause', duration, ANY)).toBe(90_000)
    expect(units).toEqual([{ unit: 'milliseconds' }])
  })

  test('a text of any parts, which are added up', () => {
    const part = fc.tuple(fc.nat(1_000), fc.constantFrom('ms', 's', 'm', 'h', 'd'))
    const inMs = { ms: 1, s: SECOND, m: MINUTE, h: HOUR, d: DAY }
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), fc.constantFrom('', ' ', ', '), (parts, between) => {
        const text = parts.map(([value, unit]) => `${value}${unit}`).join(between)
        const total = parts.reduce((sum, [value, unit]) => sum + value * inMs[unit as keyof typeof inMs], 0)
        expect(toMs('pause', text, ANY)).toBe(total)
      }),
    )
  })
})

describe('what is refused is', () => {
  test.each([
    ['10', 'no unit'],
    ['1e3', 'no unit, whatever the number looks like'],
    ['1,000', 'no unit'],
    ['1h30', 'no unit at the end'],
    ['10 5s', 'no unit at the beginning'],
    ['', 'nothing'],
    [' ', 'nothing'],
    ['s', 'no number'],
    ['PT', 'no number'],
    ['P', 'no number'],
    ['P1DT', 'nothing after the T'],
    ['abc', 'no duration'],
    ['10 bananas', 'no unit of time'],
    ['10s or so', 'something else besides'],
    ['about 10s', 'something else besides'],
    ['5 bananas 10s', 'something else besides'],
    ['10s;5s', 'something else besides'],
    ['1.5.5s', 'no number'],
    ['1_000ms', 'no number'],
    ['\u0663s', 'no number that everybody can read'],
    ['-10s', 'negative'],
    ['10s -5s', 'negative in part'],
    ['-PT1M', 'negative'],
    ['NaN', 'no number'],
    ['Infinity', 'endless'],
    ['1w', 'a unit of the calendar'],
    ['2 months', 'a unit of the calendar'],
    ['1y', 'a unit of the calendar'],
    ['P1W', 'a unit of the calendar'],
    ['P1M', 'a month, which is no minute'],
    ['P1Y2M', 'a unit of the calendar'],
    ['P1M2D', 'a unit of the calendar in part'],
    ['10M', 'minutes to some and months to others'],
    ['PT1,5S', 'a comma, which other texts group thousands with'],
  ])('%j: %s', (duration) => {
    refuse(duration).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
  })

  test.each([
    [Number.NaN, 'no number'],
    [Number.POSITIVE_INFINITY, 'endless'],
    [Number.NEGATIVE_INFINITY, 'endless'],
    [-1, 'negative'],
    [undefined, 'nothing'],
    [null, 'nothing'],
    [true, 'no duration'],
    [10n, 'no number of milliseconds'],
    [{}, 'no duration'],
    [{ total: 5 }, 'no Temporal.Duration'],
    [new Date(), 'an instant'],
    [[10], 'no duration'],
  ])('%s: %s', (duration: unknown, _: string) => {
    refuse(duration).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
  })

  test('a Temporal.Duration with units of the calendar, which cannot say how long it is', () => {
    const month = {
      total() {
        throw new RangeError('a starting point is required for months balancing')
      },
      toString: () => 'P1M',
    }
    refuse(month).toThrow(/^pause is P1M; allowed is a duration/)
    refuse({ total: () => Number.NaN }).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
  })

  test('longer than a century', () => {
    const centuryMs = 100 * 365 * DAY
    expect(toMs('pause', centuryMs, ANY)).toBe(centuryMs)
    refuse(centuryMs + 1).toThrow('allowed is a duration from 0 ms to 100 years')
  })

  test('outside of what the option allows, by a hair; both bounds are allowed themselves', () => {
    const range = { minMs: 20, maxMs: 2_000 }
    expect([toMs('pause', 20, range), toMs('pause', '2s', range)]).toEqual([20, 2_000])
    refuse(19.9, range).toThrow('pause is 19.9; allowed is a duration from 20 ms to 2000 ms')
    refuse('2001ms', range).toThrow('pause is "2001ms"; allowed is a duration from 20 ms to 2000 ms')
  })

  test('told with the option, the value, and what is allowed', () => {
    refuse('10').toThrow(
      `pause is "10"; allowed is a duration from 0 ms to 100 years, as a number of milliseconds, a text like '10s', '500ms' or 'PT1M', or a Temporal.Duration.`,
    )
  })
})
