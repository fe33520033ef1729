/** Cuts a stream of bytes into the frames of the protocol: a length of four bytes, and so much after it. */

/** The server's own limit for what it takes is 1 MB; the names of a hundred thousand candidates are about 5 MB. */
const LARGEST_FRAME = 32 * 1024 * 1024

export class Frames {
  #chunks: Buffer[] = []
  #length = 0

  /** The frames that are complete with this chunk. Throws where no server of ours would have sent it. */
  feed(chunk: Buffer): readonly Buffer[] {
    const frames: Buffer[] = []
    this.#chunks.push(chunk)
    this.#length += chunk.length
    for (let size = this.#nextSize(); size !== undefined && this.#length >= 4 + size; size = this.#nextSize()) {
      const whole = this.#whole()
      this.#chunks = [whole.subarray(4 + size)]
      this.#length -= 4 + size
      frames.push(whole.subarray(4, 4 + size))
    }
    return frames
  }

  #nextSize(): number | undefined {
    if (this.#length < 4) return undefined
    const first = this.#chunks[0]!
    const size = (first.length >= 4 ? first : this.#whole()).readInt32BE()
    if (size < 0 || size > LARGEST_FRAME) throw new RangeError(`a frame of ${size} bytes`)
    return size
  }

  #whole(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks, this.#length)]
    return this.#chunks[0]!
  }
}
