/**
 * Which member of a group owns which partition: a function of the members alone, so that nodes that see the same members agree.
 * docs/assignment.md has the rules. What is kept from one view to the next only saves work.
 */
import { partitionLease } from '../names.ts'
import { hash } from './hash.ts'
import { emptyRoster, nextRoster } from './roster.ts'
import { columns } from './score.ts'

/**
 * How partitions are spread over the members.
 *
 * - `hashed`: each partition goes to the member with its highest score. Joining and leaving moves only what must move; the loads are as
 *   uneven as chance makes them (of 8 members with 16 partitions, the fullest has twice the average, and often one has none).
 * - `bounded`: no member owns more than `ceil(partitions / members)`. Joining and leaving moves some more partitions.
 */
export type Balance = 'hashed' | 'bounded'

export interface AssignmentOptions {
  /** So that the same partition of several groups does not always go to the same member. */
  readonly group: string
  /** At least 1. */
  readonly partitions: number
  /** `hashed` by default. All members need the same. */
  readonly balance?: Balance
}

export interface AssignedMember {
  /** No two members have the same. */
  readonly session: string
  /** Partitions that go to the next member for the time being. */
  readonly resting: readonly number[]
}

export interface Assignment {
  /** Takes over a new view, its members in any order. */
  update(members: readonly AssignedMember[]): void
  /** The partitions of a session in ascending order; none for one that is no member. */
  of(session: string): readonly number[]
  /** The owner of each partition; `null` where there is no member, or each one rests it. */
  owners(): readonly (string | null)[]
}

/**
 * An assignment that follows the views of a group; without members at first.
 *
 * @example
 * const assignment = createAssignment({ group: 'billing', partitions: 16 })
 * assignment.update(members)
 * assignment.of(session.id) // [2, 3, 11]
 */
export function createAssignment({ group, partitions, balance = 'hashed' }: AssignmentOptions): Assignment {
  const hashes = columns(Array.from({ length: partitions }, (_, partition) => hash(partitionLease(group, partition))))
  let roster = emptyRoster(hashes, 0)
  let placement = roster.placement

  return {
    update(members) {
      const sorted = [...members].sort((a, b) => (a.session < b.session ? -1 : 1))
      const cap = balance === 'bounded' ? Math.ceil(partitions / sorted.length) : Number.POSITIVE_INFINITY
      roster = nextRoster(
        roster,
        sorted.map(({ session }) => session),
        hashes,
        cap,
      )
      placement = roster.placement.copy()
      placement.placeRested(
        sorted.map(({ resting }) => (resting.length === 0 ? undefined : new Set(resting))),
        cap,
      )
    },
    of(session) {
      const member = roster.sessions.indexOf(session)
      return member === -1 ? [] : placement.partitionsOf(member)
    },
    owners: () => Array.from(placement.owners, (member) => roster.sessions[member] ?? null),
  }
}

/** The owners for a single view. */
export function assign(options: AssignmentOptions, members: readonly AssignedMember[]): readonly (string | null)[] {
  const assignment = createAssignment(options)
  assignment.update(members)
  return assignment.owners()
}
