/** What happened in a simulated world, line by line: the same seed gives the same lines. */
import type { VirtualTime } from './virtualTime.ts'

interface Line {
  readonly atMs: number
  readonly who: string
  readonly what: string
}

export class SimulationLog {
  readonly #time: VirtualTime
  readonly #lines: Line[] = []

  constructor(time: VirtualTime) {
    this.#time = time
  }

  /** Who says so: a node's name, or the store. */
  note(who: string, what: string): void {
    this.#lines.push({ atMs: this.#time.nowMs, who, what })
  }

  toString(): string {
    return this.#lines
      .map(({ atMs, who, what }) => `${(atMs / 1_000).toFixed(4).padStart(10)}  ${who.padEnd(6)}  ${what}`)
      .join('\n')
  }
}
