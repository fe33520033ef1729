/**
 * Pairs of a member and a partition that may come together, in columns, because there can be hundreds of thousands.
 * The best pair has the highest score; where scores are equal, the smaller session id; then the smaller partition.
 */
import { type Hashes, lowLane, pick, scan } from './score.ts'

/** Whose scores are meant. Members are numbered in the order of their session ids. */
export interface Sides {
  readonly members: Hashes
  readonly partitions: Hashes
}

/** One more than the greatest high lane. */
export const TOP = 2 ** 32

/**
 * How many pairs a partition can expect in the first band that is looked at. Only a matter of speed: deeper bands take longer to
 * sort, shallower ones leave more partitions for the next.
 */
export const DEPTH = 3

/** The scores whose high lane is at least `floor` and less than `ceiling`. */
export interface Band {
  readonly floor: number
  readonly ceiling: number
}

/** The band below `ceiling` in which a partition can expect `depth` of these many members, if it meets all of them below it. */
export function bandBelow(ceiling: number, depth: number, members: number): Band {
  return { ceiling, floor: depth < members ? Math.floor(ceiling * (1 - depth / members)) : 0 }
}

/** What a member stays away from. */
export type Rests = ReadonlySet<number> | undefined

export class Pairs {
  size = 0
  high: Uint32Array
  member: Uint32Array
  partition: Uint32Array

  constructor(capacity = 64) {
    this.high = new Uint32Array(capacity)
    this.member = new Uint32Array(capacity)
    this.partition = new Uint32Array(capacity)
  }

  add(high: number, member: number, partition: number): void {
    if (this.size === this.high.length) this.#grow()
    this.set(this.size++, high, member, partition)
  }

  set(at: number, high: number, member: number, partition: number): void {
    this.high[at] = high
    this.member[at] = member
    this.partition[at] = partition
  }

  #grow(): void {
    const { high, member, partition } = this
    const capacity = high.length * 2
    this.high = new Uint32Array(capacity)
    this.high.set(high)
    this.member = new Uint32Array(capacity)
    this.member.set(member)
    this.partition = new Uint32Array(capacity)
    this.partition.set(partition)
  }
}

/** Adds the pairs of these members and partitions whose scores lie in the band, but for what the members rest. */
export function collect(
  pairs: Pairs,
  sides: Sides,
  members: readonly number[],
  partitions: Uint32Array,
  { floor, ceiling }: Band,
  rests: readonly Rests[] = [],
): void {
  const picked = pick(sides.partitions, partitions)
  const found = { index: new Uint32Array(partitions.length), high: new Uint32Array(partitions.length) }
  for (const member of members) {
    const rest = rests[member]
    const count = scan(sides.members, member, picked, floor, found)
    for (let i = 0; i < count; i++) {
      const high = found.high[i]!
      const partition = partitions[found.index[i]!]!
      if (high < ceiling && !rest?.has(partition)) pairs.add(high, member, partition)
    }
  }
}

/**
 * The same pairs, best first. Scores are spread evenly over their band, so that each of as many buckets as there are pairs
 * gets about one, and next to nothing is left to sort.
 */
export function bestFirst(pairs: Pairs, sides: Sides, { floor, ceiling }: Band): Pairs {
  const { size, high, member, partition } = pairs
  const bucketsPerScore = size / (ceiling - floor)
  const starts = new Uint32Array(size + 1)
  for (let i = 0; i < size; i++) starts[Math.floor((ceiling - 1 - high[i]!) * bucketsPerScore) + 1]!++
  for (let i = 0; i < size; i++) starts[i + 1]! += starts[i]!
  const sorted = new Pairs(size)
  for (let i = 0; i < size; i++) {
    const bucket = Math.floor((ceiling - 1 - high[i]!) * bucketsPerScore)
    sorted.set(starts[bucket]!++, high[i]!, member[i]!, partition[i]!)
  }
  sorted.size = size
  insertionSort(sorted, sides)
  return sorted
}

function insertionSort(pairs: Pairs, sides: Sides): void {
  for (let i = 1; i < pairs.size; i++) {
    const high = pairs.high[i]!
    const member = pairs.member[i]!
    const partition = pairs.partition[i]!
    let at = i
    for (; at > 0 && isBetter(high, member, partition, pairs, at - 1, sides); at--)
      pairs.set(at, pairs.high[at - 1]!, pairs.member[at - 1]!, pairs.partition[at - 1]!)
    pairs.set(at, high, member, partition)
  }
}

function isBetter(high: number, member: number, partition: number, than: Pairs, at: number, sides: Sides): boolean {
  if (high !== than.high[at]!) return high > than.high[at]!
  const low = lowLane(sides.members, member, sides.partitions, partition)
  const otherLow = lowLane(sides.members, than.member[at]!, sides.partitions, than.partition[at]!)
  if (low !== otherLow) return low > otherLow
  return member === than.member[at]! ? partition < than.partition[at]! : member < than.member[at]!
}
