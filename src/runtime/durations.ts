/** Durations as people write them, as milliseconds. */
import parse from 'parse-duration'
import { SimbaError } from '../model/errors.ts'

/** Anything with the shape of a `Temporal.Duration`. */
export interface TemporalDuration {
  total(options: { unit: 'milliseconds' }): number
}

/**
 * A number of milliseconds, a text like `'500ms'`, `'10s'`, `'1.5h'` or `'1m 30s'`, an ISO 8601 duration like `'PT1M'`, or a `Temporal.Duration`.
 * A text needs its units: `'10'` is refused. Weeks, months and years are refused everywhere: a day is 24 hours, and the calendar is none of our business.
 */
export type Duration = number | string | TemporalDuration

/** What a duration may be. Both bounds are allowed themselves. */
export interface DurationRange {
  readonly minMs: number
  readonly maxMs?: number
}

/** No duration may be longer than this, a century: what is meant to be for ever should say so in another way. */
const LONGEST_MS = 100 * 365 * 24 * 3_600_000

/** Milliseconds, or `INVALID_OPTION` with the name of the option, its value, and what is allowed. */
export function toMs(option: string, duration: Duration, { minMs, maxMs = LONGEST_MS }: DurationRange): number {
  const ms = read(duration)
  if (ms !== null && Number.isFinite(ms) && ms >= minMs && ms <= maxMs) return ms
  throw new SimbaError(
    'INVALID_OPTION',
    `${option} is ${show(duration)}; allowed is a duration from ${minMs} ms to ${maxMs === LONGEST_MS ? '100 years' : `${maxMs} ms`}, ` +
      `as a number of milliseconds, a text like '10s', '500ms' or 'PT1M', or a Temporal.Duration.`,
  )
}

// The library skips what it does not understand, reads a month as a minute and leaves the day out of 'P1DT12H': so what comes to it is
// checked to the last character.
const NUMBER = '(?:\\d+(?:\\.\\d+)?|\\.\\d+)'
const UNIT = '(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)'
const TEXT = new RegExp(`^\\s*(?:${NUMBER}\\s*${UNIT},?\\s*)+$`)
const ISO = new RegExp(`^P(?=.*\\d[DHMS]$)(?:${NUMBER}D)?(?:T(?:${NUMBER}H)?(?:${NUMBER}M)?(?:${NUMBER}S)?)?$`)

function readText(text: string): number | null {
  if (TEXT.test(text)) return parse(text)
  return ISO.test(text) ? parse(text.replace(/[PT]/g, '').toLowerCase()) : null
}

function read(duration: unknown): number | null {
  if (typeof duration === 'number') return duration
  if (typeof duration === 'string') return readText(duration)
  if (
    typeof duration === 'object' &&
    duration !== null &&
    'total' in duration &&
    typeof duration.total === 'function'
  ) {
    try {
      return (duration as TemporalDuration).total({ unit: 'milliseconds' })
    } catch {
      // Calendar units have no length without a date.
      return null
    }
  }
  return null
}

function show(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}
