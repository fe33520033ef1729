/** A clock that stands still until it is told how much time has passed. */
import type { Clock } from '../../src/model/clock.ts'

export class HandClock implements Clock {
  #nowMs = 1_000
  #wallMs = 1_700_000_000_000

  now(): number {
    return this.#nowMs
  }

  wallMs(): number {
    return this.#wallMs
  }

  /** Moves both clocks, and lets everything go on that waits for no more than the present moment. */
  async pass(ms: number): Promise<void> {
    this.#nowMs += ms
    this.#wallMs += ms
    await new Promise((resolve) => setImmediate(resolve))
  }

  /** Moves one clock alone; either may go back. */
  step(which: 'now' | 'wall', ms: number): void {
    if (which === 'now') this.#nowMs += ms
    else this.#wallMs += ms
  }
}
