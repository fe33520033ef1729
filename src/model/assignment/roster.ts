/**
 * The members of one view, and what they own while nobody rests. The next roster is made from the last one: only members that
 * joined cost scores, and the outcome is the same as from an empty one.
 */
import { hash } from './hash.ts'
import { type Band, bandBelow, bestFirst, collect, DEPTH, Pairs, type Sides, TOP } from './pairs.ts'
import { Placement } from './placement.ts'
import { columns, type Hashes } from './score.ts'

export interface Roster {
  /** In ascending order; a member's number is its place in here. */
  readonly sessions: readonly string[]
  readonly placement: Placement
  /** All pairs of the band, best first: what the next roster need not score again. */
  readonly pairs: Pairs
  readonly band: Band
}

/** Nobody yet, with a band for so many members. */
export function emptyRoster(partitions: Hashes, expected: number): Roster {
  const placement = new Placement({ members: columns([]), partitions })
  return { sessions: [], placement, pairs: new Pairs(), band: bandBelow(TOP, DEPTH, expected) }
}

/** Takes the sessions in ascending order. */
export function nextRoster(last: Roster, sessions: readonly string[], partitions: Hashes, cap: number): Roster {
  if (isSame(last.sessions, sessions)) return last
  const from = isFit(last.band, sessions.length) ? last : emptyRoster(partitions, sessions.length)
  const sides: Sides = { members: columns(sessions.map(hash)), partitions }
  const placement = new Placement(sides)
  const pairs = pairsOfThoseWhoStay(from, sessions)
  collect(pairs, sides, newcomers(from, sessions), placement.open(), from.band)
  const sorted = bestFirst(pairs, sides, from.band)
  placement.place(sorted, cap)
  placement.placeBelow(from.band.floor, cap)
  return { sessions, placement, pairs: sorted, band: from.band }
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((session, member) => session === right[member])
}

/** A band serves until the group has doubled or halved. */
function isFit(band: Band, members: number): boolean {
  const fit = bandBelow(TOP, DEPTH, members)
  const ratio = (TOP - band.floor) / (TOP - fit.floor)
  return ratio >= 0.5 && ratio <= 2
}

function newcomers(from: Roster, sessions: readonly string[]): number[] {
  const known = new Set(from.sessions)
  return [...sessions.keys()].filter((member) => !known.has(sessions[member]!))
}

function pairsOfThoseWhoStay(from: Roster, sessions: readonly string[]): Pairs {
  const numbers = new Map(sessions.map((session, member) => [session, member]))
  const renumbered = from.sessions.map((session) => numbers.get(session))
  const { size, high, member, partition } = from.pairs
  const pairs = new Pairs()
  for (let i = 0; i < size; i++) {
    const number = renumbered[member[i]!]
    if (number !== undefined) pairs.add(high[i]!, number, partition[i]!)
  }
  return pairs
}
