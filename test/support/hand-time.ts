/** The time of a test: it stands still until it is told to pass, and then goes from timer to timer, letting promises settle in between. */
import { AsyncResource } from 'node:async_hooks'
import type { TimeSource } from '../../src/runtime/clock/clock.ts'

interface Timer {
  readonly atMs: number
  readonly callback: () => void
}

export class HandTime implements TimeSource {
  #monotonicMs = 1_000
  #wallMs = 1_700_000_000_000
  readonly #timers = new Set<Timer>()

  monotonicMs(): number {
    return this.#monotonicMs
  }

  wallMs(): number {
    return this.#wallMs
  }

  setTimer(callback: () => void, ms: number): unknown {
    // As with the host's timers, what was going on when it was set goes on when it fires.
    const timer: Timer = { atMs: this.#monotonicMs + Math.max(0, ms), callback: AsyncResource.bind(callback) }
    this.#timers.add(timer)
    return timer
  }

  clearTimer(timer: unknown): void {
    this.#timers.delete(timer as Timer)
  }

  /** How many timers are set. */
  get timers(): number {
    return this.#timers.size
  }

  /** In how many milliseconds the next timer is due. */
  get nextTimerInMs(): number | null {
    const next = this.#next()
    return next ? next.atMs - this.#monotonicMs : null
  }

  /** Both clocks go on, and each timer fires on its instant. */
  async pass(ms: number): Promise<void> {
    const endMs = this.#monotonicMs + ms
    await settle()
    for (let next = this.#next(); next && next.atMs <= endMs; next = this.#next()) {
      this.block(Math.max(0, next.atMs - this.#monotonicMs))
      this.#timers.delete(next)
      next.callback()
      await settle()
    }
    this.block(endMs - this.#monotonicMs)
    await settle()
  }

  /** Both clocks go on while nothing runs: a process that is paused, or an event loop that is blocked. */
  block(ms: number): void {
    this.#monotonicMs += ms
    this.#wallMs += ms
  }

  /** The machine sleeps: the monotonic clock stands still, and the timers with it. */
  suspend(ms: number): void {
    this.#wallMs += ms
  }

  /** Somebody sets the wall clock, in either direction. */
  stepWall(ms: number): void {
    this.#wallMs += ms
  }

  #next(): Timer | undefined {
    let next: Timer | undefined
    for (const timer of this.#timers) if (!next || timer.atMs < next.atMs) next = timer
    return next
  }
}

/** Lets everything go on that waits for no more than the present moment. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
