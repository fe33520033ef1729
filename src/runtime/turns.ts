/**
 * How much of a flood is done at once. Thousands of partitions that start or stop would keep the event loop to themselves for seconds,
 * and renewals waiting; after a few steps everybody else gets a turn.
 */
export class Turns {
  readonly #most: number
  #taken = 0

  /** `most` steps in a row are done at once. */
  constructor(most: number) {
    this.#most = most
  }

  /** Whether the next step of what is going on now may be done at once. */
  take(): boolean {
    if (this.#taken >= this.#most) return false
    // A flood is one piece of synchronous code: promises that go on after it begin with a new count.
    if (this.#taken === 0) queueMicrotask(() => this.#reset())
    this.#taken += 1
    return true
  }

  #reset(): void {
    this.#taken = 0
  }
}
