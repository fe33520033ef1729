/**
 * A 64-bit hash of a name, in two lanes of 32 bits: MurmurHash3_x86_32 of its UTF-8 bytes, under two seeds.
 * docs/assignment.md specifies it for other implementations; any change here moves partitions between nodes that disagree.
 */
export interface Hash {
  readonly high: number
  readonly low: number
}

const HIGH_SEED = 0
const LOW_SEED = 0x9e3779b9

const encoder = new TextEncoder()
const scratch = new Uint8Array(1024)

export function hash(name: string): Hash {
  const bytes = utf8(name)
  return { high: murmur3(bytes, HIGH_SEED), low: murmur3(bytes, LOW_SEED) }
}

/** MurmurHash3_x86_32, an unsigned number. */
export function murmur3(bytes: Uint8Array, seed: number): number {
  const tail = bytes.length & ~3
  let lane = seed
  for (let at = 0; at < tail; at += 4) {
    lane ^= scramble(littleEndian(bytes, at, 4))
    lane = Math.imul(rotateLeft(lane, 13), 5) + 0xe6546b64
  }
  lane ^= scramble(littleEndian(bytes, tail, bytes.length - tail)) ^ bytes.length
  lane = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b)
  lane = Math.imul(lane ^ (lane >>> 13), 0xc2b2ae35)
  return (lane ^ (lane >>> 16)) >>> 0
}

function littleEndian(bytes: Uint8Array, at: number, length: number): number {
  let word = 0
  for (let i = 0; i < length; i++) word |= bytes[at + i]! << (8 * i)
  return word
}

function scramble(word: number): number {
  return Math.imul(rotateLeft(Math.imul(word, 0xcc9e2d51), 15), 0x1b873593)
}

function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits))
}

/** Into the same memory each time, where it fits: several times faster than new memory for each name. */
function utf8(text: string): Uint8Array {
  if (text.length * 3 > scratch.length) return encoder.encode(text)
  return scratch.subarray(0, encoder.encodeInto(text, scratch).written)
}
