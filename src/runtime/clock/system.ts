/** The time of this process: `performance` for the monotonic part, `Date` for the wall clock, and the event loop's timers. */
import type { TimeSource } from './clock.ts'

export const systemTime: TimeSource = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  setTimer(callback, ms) {
    // The host's shortest timer takes a millisecond. The next turn of the event loop is what "now" means.
    if (ms <= 0) {
      const turn = setImmediate(callback)
      return () => clearImmediate(turn)
    }
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
  clearTimer: (cancel) => (cancel as () => void)(),
}
