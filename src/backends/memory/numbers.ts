/** The numbers of the commands that one session has sent, so that a late or repeated one is known as such. */

export class Numbers {
  #settled = 0
  /** The last number of each lease and each group, in order of arrival: what can be forgotten is in front. */
  readonly #last = new Map<string, number>()

  /** Records the number, or returns `false` where it is stale. */
  take(noun: 'lease' | 'group', name: string, number: number): boolean {
    const key = `${noun} ${name}`
    if (number <= this.#settled || number <= (this.#last.get(key) ?? 0)) return false
    this.#last.delete(key)
    this.#last.set(key, number)
    return true
  }

  /** Everything up to this number is stale from now on, wherever it is aimed at. */
  settle(number: number): void {
    this.#settled = Math.max(this.#settled, number)
    // Stops at the first one that must be kept: a renewal may not look at every lease, and the rest is refused by the floor.
    for (const [key, last] of this.#last) {
      if (last > this.#settled) break
      this.#last.delete(key)
    }
  }

  /** How many leases and groups it remembers a number of. */
  get remembered(): number {
    return this.#last.size
  }
}
