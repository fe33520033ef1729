/**
 * What work in another thread must know of its term at any moment, in memory that both threads see: until when, and whether it was told
 * to end. One thread writes and one reads, and neither ever waits for the other.
 */
import type { TermEndReason } from '../../../model/endings.ts'
import type { SharedDeadline } from '../../clock/machine.ts'

export interface TermState {
  readonly deadline: SharedDeadline
  readonly end?: TermEndReason
}

const END_CODES = {
  stopped: 1,
  moved: 2,
  'stepped-down': 3,
  'fatal-work': 4,
  'session-lost': 5,
  expired: 6,
  forgotten: 7,
  crashed: 8,
} as const satisfies Record<TermEndReason, number>

/** One number that counts the writings, then two pages that are written in turn, so that the last one stays whole meanwhile. */
const PAGES_AT = 8
const PAGE_NUMBERS = 3
const PAGE_BYTES = PAGE_NUMBERS * Float64Array.BYTES_PER_ELEMENT

export class TermMemory {
  readonly buffer: SharedArrayBuffer
  readonly #count: Int32Array
  readonly #pages: readonly Float64Array[]

  constructor(buffer = new SharedArrayBuffer(PAGES_AT + 2 * PAGE_BYTES)) {
    this.buffer = buffer
    this.#count = new Int32Array(buffer, 0, 1)
    this.#pages = [0, 1].map((page) => new Float64Array(buffer, PAGES_AT + page * PAGE_BYTES, PAGE_NUMBERS))
  }

  write({ deadline, end }: TermState): void {
    const count = this.count + 1
    this.#pages[count & 1]!.set([deadline.atMs, deadline.leadMs, end === undefined ? 0 : END_CODES[end]])
    Atomics.store(this.#count, 0, count)
  }

  /** How many times something was written. */
  get count(): number {
    return Atomics.load(this.#count, 0)
  }

  /** What was written last, and which writing that was. */
  read(): TermState & { readonly count: number } {
    for (;;) {
      const count = this.count
      const [atMs = 0, leadMs = 0, code] = this.#pages[count & 1]!
      // Where something was written meanwhile, this page may be the next one already.
      if (count !== this.count) continue
      const end = (Object.keys(END_CODES) as TermEndReason[]).find((reason) => END_CODES[reason] === code)
      return { count, deadline: { atMs, leadMs }, ...(end && { end }) }
    }
  }
}
