/**
 * The one clock of a client: monotonic time plus every forward jump of the wall clock against it, so that the sleep of a laptop or
 * of a virtual machine counts, and a wall clock that steps back does not. All waiting of a client hangs on a single host timer.
 */
import type { TimerClock } from '../../model/clock.ts'
import { outside } from '../inside.ts'
import { WakeUps } from './wakeUps.ts'

/** What a clock is made of. */
export interface TimeSource {
  /** Milliseconds that never go back, but may stand still while the machine sleeps. */
  monotonicMs(): number
  /** Milliseconds since 1970. */
  wallMs(): number
  /** Calls back once after about `ms`; returns what `clearTimer` takes. */
  setTimer(callback: () => void, ms: number): unknown
  clearTimer(timer: unknown): void
}

/** A smaller lead of the wall clock is noise, or a clock that is being slewed. */
export const JUMP_MS = 50

/** A host timer does not notice a sleep. One that is never longer than this notices it this soon afterwards. */
const LONGEST_TIMER_MS = 1_000

export interface ClockOptions {
  readonly source: TimeSource
  /** The clock has gone forward by this much at once: the machine slept, or somebody set the wall clock. */
  readonly onJump: (jumpMs: number) => void
  /** Somebody who was woken has thrown. */
  readonly onError: (error: unknown) => void
}

export function createClock({ source, onJump, onError }: ClockOptions): TimerClock {
  const wakeUps = new WakeUps()
  let jumpedMs = 0
  const startMs = source.monotonicMs()
  let leadMs = source.wallMs() - startMs
  let timer: unknown
  let timerAtMs = 0

  function now(): number {
    // The wall clock is read between two readings of the other one, so that the process may be held up here: that is no jump.
    const beforeMs = source.monotonicMs()
    const wallMs = source.wallMs()
    const monotonicMs = source.monotonicMs()
    const ahead = wallMs - monotonicMs - leadMs
    if (ahead > JUMP_MS) {
      jumpedMs += ahead
      leadMs += ahead
      onJump(ahead)
      // The host's timer has slept, too, and would come that much too late.
      disarm()
      arm(monotonicMs + jumpedMs)
    } else {
      leadMs = Math.min(leadMs, wallMs - beforeMs)
    }
    return monotonicMs + jumpedMs
  }

  function arm(nowMs: number): void {
    const next = wakeUps.next
    if (!next) {
      disarm()
      return
    }
    const atMs = Math.min(Math.max(next.atMs, nowMs), nowMs + LONGEST_TIMER_MS)
    if (timer !== undefined && timerAtMs <= atMs) return
    disarm()
    timerAtMs = atMs
    // Rounded up, since a timer that comes too early finds nothing due. It wakes everybody, so it is nobody's work.
    timer = outside(() => source.setTimer(ring, Math.ceil(atMs - nowMs)))
  }

  function disarm(): void {
    if (timer !== undefined) source.clearTimer(timer)
    timer = undefined
  }

  function ring(): void {
    timer = undefined
    const nowMs = now()
    // Who asks anew for an instant that has passed is woken by the next ring, so that I/O gets its turn in between.
    const newest = wakeUps.nextOrder
    for (let due = wakeUps.next; due && due.atMs <= nowMs && due.order < newest; due = wakeUps.next) {
      wakeUps.remove(due)
      try {
        due.wake()
      } catch (error) {
        onError(error)
      }
    }
    arm(now())
  }

  return {
    now,
    wallMs: () => source.wallMs(),
    wakeAt(atMs, wake) {
      if (!Number.isFinite(atMs)) throw new RangeError(`A wake-up needs a finite instant, not ${atMs}.`)
      const entry = wakeUps.add(atMs, wake)
      if (wakeUps.next === entry) arm(now())
      return () => {
        wakeUps.remove(entry)
        // A ring too many costs less than setting the timer back with each cancelled wait; but nothing may keep the process alive.
        if (wakeUps.size === 0) disarm()
      }
    },
  }
}
