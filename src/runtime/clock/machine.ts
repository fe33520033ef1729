/** The monotonic clock that all threads and processes of a machine have in common, and deadlines on it for others than this thread. */
import { JUMP_MS, type TimeSource } from './clock.ts'
import { systemTime } from './system.ts'

export const machineTime: TimeSource = {
  ...systemTime,
  monotonicMs() {
    const [seconds, nanoseconds] = process.hrtime()
    return seconds * 1_000 + nanoseconds / 1e6
  },
}

/** An instant of a client's clock, for whoever has a clock of their own on this machine. */
export interface SharedDeadline {
  readonly atMs: number
  /** How far the wall clock was ahead when this was written. A greater lead is time that the machine has slept since. */
  readonly leadMs: number
}

/** What `remainingMs` says, as a deadline. However long this takes, or stands still in between, it is never too late. */
export function sharedDeadline(remainingMs: () => number): SharedDeadline {
  const wallMs = machineTime.wallMs()
  const nowMs = machineTime.monotonicMs()
  return { atMs: nowMs + remainingMs(), leadMs: wallMs - nowMs }
}

/** How long until then; less than nothing where it has passed. */
export function remainingUntil({ atMs, leadMs }: SharedDeadline): number {
  const nowMs = machineTime.monotonicMs()
  const sleptMs = machineTime.wallMs() - nowMs - leadMs
  return atMs - nowMs - (sleptMs > JUMP_MS ? sleptMs : 0)
}
