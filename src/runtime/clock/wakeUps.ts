/** Everybody who wants to be woken, by instant: a binary heap that lets go of a cancelled entry at once. */

export interface WakeUp {
  readonly atMs: number
  readonly wake: () => void
  /** Among equals the first comes first. */
  readonly order: number
  /** Where it stands in the heap; -1 once it is out. */
  place: number
}

export class WakeUps {
  readonly #heap: WakeUp[] = []
  #order = 0

  /** Greater than the order of every entry so far. */
  get nextOrder(): number {
    return this.#order
  }

  get size(): number {
    return this.#heap.length
  }

  /** The next to be woken. */
  get next(): WakeUp | undefined {
    return this.#heap[0]
  }

  add(atMs: number, wake: () => void): WakeUp {
    const entry: WakeUp = { atMs, wake, order: this.#order++, place: this.#heap.length }
    this.#heap.push(entry)
    this.#rise(entry)
    return entry
  }

  remove(entry: WakeUp): void {
    if (entry.place < 0) return
    const last = this.#heap.pop()!
    if (last !== entry) {
      this.#put(last, entry.place)
      this.#rise(last)
      this.#sink(last)
    }
    entry.place = -1
  }

  #put(entry: WakeUp, place: number): void {
    this.#heap[place] = entry
    entry.place = place
  }

  #rise(entry: WakeUp): void {
    while (entry.place > 0) {
      const above = this.#heap[(entry.place - 1) >> 1]!
      if (!isBefore(entry, above)) return
      this.#swap(entry, above)
    }
  }

  #sink(entry: WakeUp): void {
    for (;;) {
      const left = this.#heap[2 * entry.place + 1]
      const right = this.#heap[2 * entry.place + 2]
      const first = right && left && isBefore(right, left) ? right : left
      if (!first || !isBefore(first, entry)) return
      this.#swap(entry, first)
    }
  }

  #swap(a: WakeUp, b: WakeUp): void {
    const place = a.place
    this.#put(a, b.place)
    this.#put(b, place)
  }
}

function isBefore(a: WakeUp, b: WakeUp): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)
}
