/** The time of this process: `performance` for the monotonic part, `Date` for the wall clock, and the event loop's timers. */
import type { TimeSource } from './clock.ts'

export const systemTime: TimeSource = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  setTimer: (callback, ms) => setTimeout(callback, ms),
  clearTimer: (timer) => clearTimeout(timer as NodeJS.Timeout),
}
