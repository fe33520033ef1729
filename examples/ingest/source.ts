/** A text file, read in batches of lines from a cursor on. Huge files are fine: no more than a batch is in memory. */
import { linesOf } from './lines.ts'

/** How far the ingest has got. */
export interface Cursor {
  /** Records before it. */
  readonly record: number
  /** Bytes before it. */
  readonly offset: number
}

export interface Batch {
  readonly from: Cursor
  readonly lines: readonly string[]
  /** Where the next batch begins. */
  readonly next: Cursor
}

const MOST_BYTES = 4 * 1024 * 1024

export class Source {
  readonly #path: string
  readonly #batchSize: number

  constructor(path: string, batchSize: number) {
    this.#path = path
    this.#batchSize = batchSize
  }

  /** A batch without lines is the end. */
  async read(from: Cursor): Promise<Batch> {
    const lines: string[] = []
    let { offset } = from
    for await (const line of linesOf(this.#path, from.offset)) {
      lines.push(line)
      offset += Buffer.byteLength(line) + 1
      if (lines.length === this.#batchSize || offset - from.offset >= MOST_BYTES) break
    }
    return { from, lines, next: { record: from.record + lines.length, offset } }
  }
}
