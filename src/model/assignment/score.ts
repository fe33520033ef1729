/**
 * How much a member wants a partition: 64 bits, mixed anew for each pair from the hashes of the two. Names are hashed once,
 * so that a pair costs two multiplications; the low lane is only needed where two high lanes are equal.
 */
import type { Hash } from './hash.ts'

/** Hashes in columns. */
export interface Hashes {
  readonly high: Int32Array
  readonly low: Int32Array
}

export function columns(hashes: readonly Hash[]): Hashes {
  return {
    high: new Int32Array(hashes.map((hash) => hash.high)),
    low: new Int32Array(hashes.map((hash) => hash.low)),
  }
}

export function pick({ high, low }: Hashes, indices: Uint32Array): Hashes {
  const picked = { high: new Int32Array(indices.length), low: new Int32Array(indices.length) }
  for (let i = 0; i < indices.length; i++) {
    picked.high[i] = high[indices[i]!]!
    picked.low[i] = low[indices[i]!]!
  }
  return picked
}

/** The low lane of the score of a pair of numbers. */
export function lowLane(members: Hashes, member: number, partitions: Hashes, partition: number): number {
  const high = members.high[member]! ^ partitions.high[partition]!
  const low = members.low[member]! ^ partitions.low[partition]!
  return mix(low, high) >>> 0
}

/** What `scan` has found, in its first elements. */
export interface Found {
  readonly index: Uint32Array
  readonly high: Uint32Array
}

const SIGN = 1 << 31

/** Finds the partitions whose score for this member has a high lane of at least `floor`, and returns how many. */
export function scan(members: Hashes, member: number, partitions: Hashes, floor: number, found: Found): number {
  const memberHigh = members.high[member]!
  const memberLow = members.low[member]!
  const { high, low } = partitions
  const foundIndex = found.index
  const foundHigh = found.high
  // Signed numbers with the sign flipped are in the order of the unsigned ones, and they are what the engine compares fastest.
  const flippedFloor = floor ^ SIGN
  let count = 0
  for (let index = 0; index < high.length; index++) {
    const lane = mix(memberHigh ^ high[index]!, memberLow ^ low[index]!)
    if ((lane ^ SIGN) < flippedFloor) continue
    foundIndex[count] = index
    foundHigh[count] = lane
    count++
  }
  return count
}

/**
 * The finalizer of MurmurHash3 with `other` entering halfway, so that each lane of a score depends on all 64 bits of both hashes.
 * Its last step is left out: it changes only the lower 16 bits, and in a comparison the upper ones decide.
 */
function mix(lane: number, other: number): number {
  const half = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b) ^ other
  return Math.imul(half ^ (half >>> 13), 0xc2b2ae35)
}
