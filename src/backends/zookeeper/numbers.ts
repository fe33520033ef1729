/**
 * The numbers of a session's commands. They are kept here and not in the store: nobody else can send a command in the name of a
 * ZooKeeper session, and what the store gets late it refuses by another rule.
 */
export class Numbers {
  readonly #last = new Map<string, number>()
  #settled = 0

  /** Whether this number is new for what the command is about. From now on, it is not. */
  take(about: string, number: number): boolean {
    if (number <= Math.max(this.#settled, this.#last.get(about) ?? 0)) return false
    this.#last.set(about, number)
    return true
  }

  /** Everything up to this number was answered or given up. */
  settle(settled: number): void {
    if (settled <= this.#settled) return
    this.#settled = settled
    for (const [about, number] of this.#last) if (number <= settled) this.#last.delete(about)
  }
}
