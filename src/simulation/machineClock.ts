/** The clocks of one simulated machine: each runs at a rate of its own, and the monotonic one stands still while the machine sleeps. */
import type { VirtualTime } from './virtualTime.ts'

export interface ClockTraits {
  /** Seconds of this machine in a second of true time. Default: 1. */
  readonly rate?: number
  /** What the monotonic clock shows at the beginning. Default: 1,000. */
  readonly monotonicMs?: number
  /** What the wall clock shows at the beginning. Default: a day in November 2023. */
  readonly wallMs?: number
}

const A_DAY_IN_2023_MS = 1_700_000_000_000

export class MachineClock {
  readonly rate: number
  readonly #time: VirtualTime
  #monotonicMs: number
  #wallMs: number
  /** The true time at which both readings above were right. */
  #asOfMs: number
  #isAsleep = false

  constructor(time: VirtualTime, { rate = 1, monotonicMs = 1_000, wallMs = A_DAY_IN_2023_MS }: ClockTraits = {}) {
    this.#time = time
    this.rate = rate
    this.#monotonicMs = monotonicMs
    this.#wallMs = wallMs
    this.#asOfMs = time.nowMs
  }

  get isAsleep(): boolean {
    return this.#isAsleep
  }

  monotonicMs(): number {
    return this.#monotonicMs + (this.#isAsleep ? 0 : this.#sinceMs())
  }

  /** In whole milliseconds, as `Date.now()`. */
  wallMs(): number {
    return Math.floor(this.#wallMs + this.#sinceMs())
  }

  /** Somebody sets the wall clock. */
  stepWall(ms: number): void {
    this.#wallMs += ms
  }

  sleep(): void {
    this.#fold()
    this.#isAsleep = true
  }

  wake(): void {
    this.#fold()
    this.#isAsleep = false
  }

  /** How much true time passes until the monotonic clock shows this. The grain covers what floating point loses. */
  trueMsUntil(monotonicMs: number): number {
    return Math.max(0, monotonicMs - this.monotonicMs()) / this.rate + 1e-6
  }

  #sinceMs(): number {
    return (this.#time.nowMs - this.#asOfMs) * this.rate
  }

  #fold(): void {
    this.#monotonicMs = this.monotonicMs()
    this.#wallMs += this.#sinceMs()
    this.#asOfMs = this.#time.nowMs
  }
}
