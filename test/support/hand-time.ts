/** The time of one process, for clients under test: in whole milliseconds, and it passes only when a test says so. */
import { AsyncResource } from 'node:async_hooks'
import type { TimeSource } from '../../src/runtime/clock/clock.ts'
import { settle, VirtualTime } from '../../src/simulation/virtualTime.ts'

const STARTED_AT_MS = 1_000
const A_DAY_IN_2023_MS = 1_700_000_000_000

export class HandTime implements TimeSource {
  readonly #time = new VirtualTime()
  readonly #timers = new Set<() => void>()
  #wallLeadMs = A_DAY_IN_2023_MS
  /** Timers that are overdue while the process is blocked. */
  #overdue: (() => void)[] | undefined

  monotonicMs(): number {
    return STARTED_AT_MS + this.#time.nowMs
  }

  wallMs(): number {
    return this.#wallLeadMs + this.#time.nowMs
  }

  setTimer(callback: () => void, ms: number): unknown {
    // As with the host's timers, what was going on when it was set goes on when it fires.
    const bound = AsyncResource.bind(callback)
    const fire = () => {
      if (this.#timers.delete(cancel)) bound()
    }
    const cancel = this.#time.after(ms, () => {
      if (this.#overdue) this.#overdue.push(fire)
      else fire()
    })
    this.#timers.add(cancel)
    return cancel
  }

  clearTimer(timer: unknown): void {
    const cancel = timer as () => void
    cancel()
    this.#timers.delete(cancel)
  }

  /** How many timers are set. */
  get timers(): number {
    return this.#timers.size
  }

  /** In how many milliseconds the next timer is due. */
  get nextTimerInMs(): number | undefined {
    return this.#time.nextInMs
  }

  /** Time goes on, and each timer fires on its instant. */
  pass(ms: number): Promise<void> {
    return this.#time.pass(ms)
  }

  /** Lets time pass until the promise has settled, at most so long; returns how long it took. Rejects with the promise. */
  until(promise: Promise<unknown>, limitMs: number): Promise<number> {
    return this.#time.until(promise, limitMs)
  }

  /** Time goes on while nothing runs: a process that is paused, or an event loop that is blocked. Then all timers are overdue. */
  async block(ms: number): Promise<void> {
    this.#overdue = []
    await this.#time.pass(ms)
    const overdue = this.#overdue
    this.#overdue = undefined
    for (const fire of overdue) {
      fire()
      await settle()
    }
  }

  /** The machine sleeps: its monotonic clock stands still, and its timers with it. */
  suspend(ms: number): void {
    this.#wallLeadMs += ms
  }

  /** Somebody sets the wall clock, in either direction. */
  stepWall(ms: number): void {
    this.#wallLeadMs += ms
  }
}
