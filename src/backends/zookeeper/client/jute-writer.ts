/** Writes what ZooKeeper reads: big-endian numbers, and texts and buffers with their length in front. */

const FIRST_SIZE = 256

export class JuteWriter {
  #buffer = Buffer.allocUnsafe(FIRST_SIZE)
  #length = 0

  int(value: number): this {
    this.#length = this.#room(4).writeInt32BE(value, this.#length)
    return this
  }

  long(value: bigint): this {
    this.#length = this.#room(8).writeBigInt64BE(value, this.#length)
    return this
  }

  bool(value: boolean): this {
    this.#length = this.#room(1).writeUInt8(value ? 1 : 0, this.#length)
    return this
  }

  bytes(value: Uint8Array): this {
    this.int(value.length)
    this.#room(value.length).set(value, this.#length)
    this.#length += value.length
    return this
  }

  text(value: string): this {
    return this.bytes(Buffer.from(value))
  }

  list<Item>(items: readonly Item[], write: (item: Item) => void): this {
    this.int(items.length)
    for (const item of items) write(item)
    return this
  }

  /** What was written, as a frame: with its length in front. */
  frame(): Buffer {
    const frame = Buffer.allocUnsafe(4 + this.#length)
    frame.writeInt32BE(this.#length)
    this.#buffer.copy(frame, 4, 0, this.#length)
    return frame
  }

  #room(bytes: number): Buffer {
    if (this.#length + bytes > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(2 * (this.#length + bytes))
      this.#buffer.copy(larger, 0, 0, this.#length)
      this.#buffer = larger
    }
    return this.#buffer
  }
}
