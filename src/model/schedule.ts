/** When a scheduled run starts. Plain arithmetic on one clock's milliseconds; the schedule loop asks, the runtime waits. */

/** Made by `fixedRate` and `fixedDelay`. */
export interface Schedule {
  readonly kind: 'fixedRate' | 'fixedDelay'
  /** Between two scheduled starts, or between the end of a run and the next start. */
  readonly everyMs: number
  /** From the start of each term to the first start. */
  readonly initialDelayMs: number
}

/** One start, and how many starts before it fell out because time had passed them by. */
export interface Start {
  readonly atMs: number
  readonly skipped: number
}

/**
 * The start that follows a run which started for the slot `startMs` and ended at `endedMs`. Starts of a fixed rate stay on the
 * grid through `startMs`: a run that overruns skips what it missed, and a run that ends on the grid is followed at once.
 */
export function startAfterRun(schedule: Schedule, startMs: number, endedMs: number): Start {
  if (schedule.kind === 'fixedDelay') return { atMs: endedMs + schedule.everyMs, skipped: 0 }
  const slots = Math.max(1, Math.ceil((endedMs - startMs) / schedule.everyMs))
  return { atMs: startMs + slots * schedule.everyMs, skipped: slots - 1 }
}

/** The slot that a wake-up at `nowMs` stands for which was due at `dueMs`: after a sleep it is the latest one, and the others fell out. */
export function slotOfWakeUp(schedule: Schedule, dueMs: number, nowMs: number): Start {
  if (schedule.kind === 'fixedDelay') return { atMs: dueMs, skipped: 0 }
  const slots = Math.max(0, Math.floor((nowMs - dueMs) / schedule.everyMs))
  return { atMs: dueMs + slots * schedule.everyMs, skipped: slots }
}
