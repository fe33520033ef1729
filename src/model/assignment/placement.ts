/**
 * Who owns which partition while an assignment is being made. Pairs come together best first; a pair is passed over where
 * its partition is taken or its member is full. Whatever is placed stays, until its member rests it.
 */
import { bandBelow, bestFirst, collect, DEPTH, Pairs, type Rests, type Sides, TOP } from './pairs.ts'

export const NOBODY = -1

export class Placement {
  /** The number of each partition's member, or `NOBODY`. */
  readonly owners: Int32Array
  readonly #sides: Sides
  readonly #loads: Uint32Array

  constructor(sides: Sides) {
    this.#sides = sides
    this.owners = new Int32Array(sides.partitions.high.length).fill(NOBODY)
    this.#loads = new Uint32Array(sides.members.high.length)
  }

  copy(): Placement {
    const copy = new Placement(this.#sides)
    copy.owners.set(this.owners)
    copy.#loads.set(this.#loads)
    return copy
  }

  /** The partitions that nobody owns. */
  open(): Uint32Array {
    return Uint32Array.from(this.partitionsOf(NOBODY))
  }

  partitionsOf(member: number): number[] {
    const partitions: number[] = []
    this.owners.forEach((owner, partition) => {
      if (owner === member) partitions.push(partition)
    })
    return partitions
  }

  /** Goes through pairs that are sorted best first. */
  place(pairs: Pairs, cap: number): void {
    for (let i = 0; i < pairs.size; i++) {
      const partition = pairs.partition[i]!
      const member = pairs.member[i]!
      if (this.owners[partition] !== NOBODY || this.#loads[member]! >= cap) continue
      this.owners[partition] = member
      this.#loads[member]!++
    }
  }

  /** Places what is still open by the pairs below `ceiling`; those above have been gone through. */
  placeBelow(ceiling: number, cap: number): void {
    this.#fill(this.open(), cap, ceiling, [])
  }

  /**
   * Moves the partitions that their members rest, and no others, to members that do not rest them. Where the cap leaves no
   * room, it goes up by 1, then by 2, 4, 8 and so on: an owner matters more than an even load. That ends when the cap has passed
   * the number of partitions, at the latest, since what everybody rests is left out.
   */
  placeRested(rests: readonly Rests[], cap: number): void {
    let open: Uint32Array = this.#vacate(rests).filter((partition) => rests.some((rest) => !rest?.has(partition)))
    for (let extra = 1; open.length > 0; extra *= 2) {
      open = this.#fill(open, cap, TOP, rests)
      cap += extra
    }
  }

  #vacate(rests: readonly Rests[]): Uint32Array {
    const vacated: number[] = []
    rests.forEach((rest, member) => {
      for (const partition of rest ?? []) {
        if (this.owners[partition] !== member) continue
        this.owners[partition] = NOBODY
        this.#loads[member]!--
        vacated.push(partition)
      }
    })
    return Uint32Array.from(vacated)
  }

  /**
   * Goes through the pairs of these open partitions, and returns what is left of them. Band by band, each twice as deep as the last,
   * since most partitions find a member near the top, and full members and taken partitions make no pairs further down.
   */
  #fill(open: Uint32Array, cap: number, ceiling: number, rests: readonly Rests[]): Uint32Array {
    for (let depth = DEPTH; open.length > 0 && ceiling > 0; depth *= 2) {
      const members = this.#withRoom(cap)
      const band = bandBelow(ceiling, depth, members.length)
      const pairs = new Pairs()
      collect(pairs, this.#sides, members, open, band, rests)
      this.place(bestFirst(pairs, this.#sides, band), cap)
      open = open.filter((partition) => this.owners[partition] === NOBODY)
      ceiling = band.floor
    }
    return open
  }

  #withRoom(cap: number): number[] {
    const members: number[] = []
    this.#loads.forEach((load, member) => {
      if (load < cap) members.push(member)
    })
    return members
  }
}
