/** Waiting by the client's clock, for the machines: each wait ends with its actor. */
import { fromPromise } from 'xstate'
import type { TimerClock } from '../model/clock.ts'

const FIRST_BACKOFF_MS = 50
const SHORTEST_RETRY_MS = 100

/** Resolves at the instant; forgets it when the signal aborts. */
export function until(clock: TimerClock, atMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.wakeAt(atMs, () => resolve())
    signal.addEventListener('abort', cancel, { once: true })
  })
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

/** An actor that is done after the milliseconds that `wait` works out from its input. */
export function waitLogic<Input>(clock: TimerClock, wait: (input: Input) => number) {
  return fromPromise<void, Input>(({ input, signal }) => until(clock, clock.now() + Math.max(0, wait(input)), signal))
}
