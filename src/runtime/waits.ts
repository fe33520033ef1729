/** How long to wait before a repeated attempt. */

import type { TimerClock } from '../model/clock.ts'
import type { OnStop } from './actors.ts'

const FIRST_BACKOFF_MS = 50
const SHORTEST_RETRY_MS = 100

/** Resolves at the instant; never, once it is stopped. */
export function until(clock: TimerClock, atMs: number, onStop: OnStop): Promise<void> {
  return new Promise((resolve) => onStop(clock.wakeAt(atMs, resolve)))
}

/** Doubles with each failure up to the cap; between half of it and all of it by chance, so that nodes that failed together do not try together. */
export function backoffMs(attempt: number, capMs: number, random: () => number): number {
  if (attempt <= 0) return 0
  const full = Math.min(capMs, FIRST_BACKOFF_MS * 2 ** Math.min(attempt - 1, 30))
  return full * (0.5 + random() / 2)
}

/** Half of what remains, but not so little that the last attempts come in a burst. */
export function retryDelayMs(remainingMs: number): number {
  return Math.max(SHORTEST_RETRY_MS, remainingMs / 2)
}
