/** The rules of docs/assignment.md word by word, with every pair in one list: the slow twin that the real assignment is held against. */
import type { AssignedMember, AssignmentOptions } from '../../src/model/assignment/assignment.ts'
import { hash } from '../../src/model/assignment/hash.ts'

interface Pair {
  readonly session: string
  readonly partition: number
  readonly high: number
  readonly low: number
}

export function simpleAssign(options: AssignmentOptions, members: readonly AssignedMember[]): (string | null)[] {
  const { group, partitions, balance } = options
  const pairs = members
    .flatMap(({ session }) => Array.from({ length: partitions }, (_, partition) => pairOf(session, group, partition)))
    .sort(bestFirst)
  const owners: (string | null)[] = Array.from({ length: partitions }, () => null)

  const place = (candidates: readonly Pair[], cap: number) => {
    for (const { session, partition } of candidates) {
      const load = owners.filter((owner) => owner === session).length
      if (owners[partition] === null && load < cap) owners[partition] = session
    }
  }
  let cap = balance === 'bounded' ? Math.ceil(partitions / members.length) : partitions
  place(pairs, cap)

  const rests = ({ session, partition }: { session: string | null; partition: number }) =>
    members.some((member) => member.session === session && member.resting.includes(partition))
  owners.forEach((session, partition) => {
    if (rests({ session, partition })) owners[partition] = null
  })
  const awake = pairs.filter((pair) => !rests(pair))
  place(awake, cap)
  for (let extra = 1; cap < partitions; extra *= 2) {
    cap += extra
    place(awake, cap)
  }
  return owners
}

function pairOf(session: string, group: string, partition: number): Pair {
  const a = hash(session)
  const b = hash(`${group}.${partition}`)
  const high = (a.high ^ b.high) >>> 0
  const low = (a.low ^ b.low) >>> 0
  return { session, partition, high: mixed(high, low), low: mixed(low, high) }
}

function mixed(lane: number, other: number): number {
  const first = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b)
  const second = first ^ other
  return Math.imul(second ^ (second >>> 13), 0xc2b2ae35) >>> 0
}

function bestFirst(a: Pair, b: Pair): number {
  if (a.high !== b.high) return b.high - a.high
  if (a.low !== b.low) return b.low - a.low
  if (a.session !== b.session) return a.session < b.session ? -1 : 1
  return a.partition - b.partition
}
