/**
 * A way that takes a limited number at a time; the others wait in line. A burst of thousands of commands would otherwise keep each
 * other, and the renewals, from being answered in time.
 */
export class Lane {
  readonly #width: number
  readonly #waiting: (() => void)[] = []
  #busy = 0

  constructor(width: number) {
    this.#width = width
  }

  /** Starts `call` when its turn has come. */
  async run<A>(call: () => Promise<A>): Promise<A> {
    if (this.#busy < this.#width) this.#busy += 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await call()
    } finally {
      // The place is handed on, and never free in between: nobody gets ahead of the line.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#busy -= 1
    }
  }
}
