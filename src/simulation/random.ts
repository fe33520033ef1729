/** Chance that follows from a seed. Whoever draws has a stream of their own, so that one draw more here changes nothing elsewhere. */

export class Random {
  readonly #seed: number
  #state: number

  constructor(seed: number) {
    this.#seed = seed | 0
    this.#state = this.#seed
  }

  /** A number in [0, 1): mulberry32. */
  readonly next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  chance(probability: number): boolean {
    return probability > 0 && this.next() < probability
  }

  between([from, to]: readonly [number, number]): number {
    return from + this.next() * (to - from)
  }

  /** A stream that depends on the seed and the name alone. */
  fork(name: string): Random {
    let hash = this.#seed ^ 0x811c9dc5
    for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
    return new Random(hash)
  }
}
