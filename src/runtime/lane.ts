/**
 * A way that takes a limited number at a time; the others wait in line. A burst of thousands of commands would otherwise keep each
 * other, and the renewals, from being answered in time. Where answers come at once, timers and sockets get their turn in between.
 */
export class Lane {
  readonly #width: number
  readonly #waiting: (() => void)[] = []
  readonly #breathe: (next: () => void) => void
  #busy = 0
  #sinceBreath = 0

  /** `breathe` goes on in another turn of the event loop. */
  constructor(width: number, breathe: (next: () => void) => void) {
    this.#width = width
    this.#breathe = breathe
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
      if (next) this.#handOn(next)
      else this.#busy -= 1
    }
  }

  #handOn(next: () => void): void {
    this.#sinceBreath += 1
    if (this.#sinceBreath < this.#width) {
      next()
    } else {
      this.#sinceBreath = 0
      this.#breathe(next)
    }
  }
}
