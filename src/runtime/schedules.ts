/** The two kinds of schedules, as users write them. */

import { checkKeys } from '../model/checkKeys.ts'
import { SimbaError } from '../model/errors.ts'
import type { Schedule } from '../model/schedule.ts'
import { type Duration, toMs } from './durations.ts'

export interface ScheduleOptions {
  /** From the start of each term to the first run. Minimum and default: 0. */
  readonly initialDelay?: Duration
}

/** Runs that follow each other faster than this would starve the renewals that keep them. */
const SHORTEST_MS = 1

/**
 * A run every `period`, counted between scheduled starts. A run that takes longer skips the starts that it misses: there is never a
 * burst, and never a second run beside the first.
 *
 * @example
 * simba.election('report').schedule(fixedRate('1m', { initialDelay: '10s' }), async (term) => { … })
 */
export function fixedRate(period: Duration, options: ScheduleOptions = {}): Schedule {
  return makeSchedule('fixedRate', 'period', period, options)
}

/**
 * A run, then a pause of `delay`, then the next run.
 *
 * @example
 * simba.election('cleanup').schedule(fixedDelay('30s'), async (term) => { … })
 */
export function fixedDelay(delay: Duration, options: ScheduleOptions = {}): Schedule {
  return makeSchedule('fixedDelay', 'delay', delay, options)
}

/** `name` is what the user calls the duration. */
export function makeSchedule(
  kind: Schedule['kind'],
  name: string,
  every: Duration,
  options: ScheduleOptions,
): Schedule {
  checkKeys(kind, options, ['initialDelay'])
  return {
    kind,
    everyMs: toMs(name, every, { minMs: SHORTEST_MS }),
    initialDelayMs: toMs('initialDelay', options.initialDelay ?? 0, { minMs: 0 }),
  }
}

/** A schedule that did not come from here may be anything. */
export function checkSchedule(schedule: unknown): Schedule {
  const { kind, everyMs, initialDelayMs } = (schedule ?? {}) as Partial<Schedule>
  const isOne = kind === 'fixedRate' || kind === 'fixedDelay'
  if (isOne && isAtLeast(SHORTEST_MS, everyMs) && isAtLeast(0, initialDelayMs)) return { kind, everyMs, initialDelayMs }
  throw new SimbaError(
    'INVALID_OPTION',
    `The schedule is ${String(schedule)}; allowed is what fixedRate() and fixedDelay() return.`,
  )
}

function isAtLeast(minMs: number, ms: unknown): ms is number {
  return typeof ms === 'number' && Number.isFinite(ms) && ms >= minMs
}
