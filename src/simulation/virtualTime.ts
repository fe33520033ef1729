/**
 * True time, as nobody in the simulated world can read it. It stands still until it is told to pass, then goes from one instant to
 * the next, and lets all promises settle in between.
 */
import { WakeUps } from '../runtime/clock/wakeUps.ts'

// Taken before a test puts fake timers in its place.
const afterPromises = setImmediate

/** Lets everything go on that waits for no more than the present moment. The event loop empties the queue of promises first. */
export function settle(): Promise<void> {
  return new Promise((resolve) => void afterPromises(resolve))
}

export class VirtualTime {
  readonly #agenda = new WakeUps()
  #nowMs = 0

  /** Milliseconds since the world began. */
  get nowMs(): number {
    return this.#nowMs
  }

  /** In how many milliseconds something happens next. */
  get nextInMs(): number | undefined {
    const next = this.#agenda.next
    return next && Math.max(0, next.atMs - this.#nowMs)
  }

  /** Calls back after this long; what is due at one instant happens in the order of asking. Returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void {
    const entry = this.#agenda.add(this.#nowMs + Math.max(0, ms), callback)
    return () => this.#agenda.remove(entry)
  }

  async pass(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms
    await settle()
    for (let next = this.#agenda.next; next && next.atMs <= endMs; next = this.#agenda.next) {
      this.#nowMs = next.atMs
      this.#agenda.remove(next)
      next.wake()
      await settle()
    }
    this.#nowMs = endMs
  }

  /** Lets time pass until the promise has settled, at most `limitMs`; returns how long it took. Rejects with the promise. */
  async until(promise: Promise<unknown>, limitMs: number): Promise<number> {
    const startMs = this.#nowMs
    let isSettled = false
    const watched = promise.finally(() => {
      isSettled = true
    })
    watched.catch(() => {})
    await settle()
    while (!isSettled) {
      const leftMs = startMs + limitMs - this.#nowMs
      const nextMs = this.nextInMs
      if (nextMs === undefined || nextMs > leftMs) throw new Error(`Nothing has come of it within ${limitMs} ms.`)
      await this.pass(nextMs)
    }
    await watched
    return this.#nowMs - startMs
  }
}
