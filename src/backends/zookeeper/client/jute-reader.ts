/** Reads what ZooKeeper writes. What is shorter than it should be throws a RangeError, which is a fault of the connection. */

export class JuteReader {
  readonly #buffer: Buffer
  #at = 0

  constructor(buffer: Buffer) {
    this.#buffer = buffer
  }

  /** Whether everything was read. */
  get isDone(): boolean {
    return this.#at === this.#buffer.length
  }

  int(): number {
    const value = this.#buffer.readInt32BE(this.#at)
    this.#at += 4
    return value
  }

  long(): bigint {
    const value = this.#buffer.readBigInt64BE(this.#at)
    this.#at += 8
    return value
  }

  bool(): boolean {
    const value = this.#buffer.readUInt8(this.#at)
    this.#at += 1
    return value !== 0
  }

  /** A length of -1 stands for no buffer, which is an empty one here. */
  bytes(): Buffer {
    const length = Math.max(0, this.int())
    const end = this.#at + length
    if (end > this.#buffer.length)
      throw new RangeError(`${length} bytes announced, ${this.#buffer.length - this.#at} there`)
    const value = this.#buffer.subarray(this.#at, end)
    this.#at = end
    return value
  }

  text(): string {
    return this.bytes().toString()
  }

  list<Item>(read: () => Item): Item[] {
    const items: Item[] = []
    for (let left = this.int(); left > 0; left--) items.push(read())
    return items
  }
}
