/** The groups of one namespace: who is a member, and what each announces. */
import type { JoinAnswer, Member, MemberEntry } from '../port.ts'
import type { Findings } from '../survey.ts'
import type { Push } from './leases.ts'
import { type GroupRecord, isLive, type SessionRecord } from './records.ts'

export class Groups {
  readonly #groups = new Map<string, GroupRecord>()
  readonly #push: Push
  /** Of all groups together, so that a group can be forgotten and its next version is greater all the same. */
  #lastVersion = 0

  constructor(push: Push) {
    this.#push = push
  }

  join(session: SessionRecord, name: string, entry: MemberEntry, nowMs: number): JoinAnswer {
    const group = this.#groups.get(name) ?? { name, version: 0, members: new Map() }
    const other = this.members(name, nowMs).find(
      (member) => member.session !== session.id && member.partitions !== entry.partitions,
    )
    if (other) {
      this.leave(session, name, nowMs)
      return { kind: 'mismatch', partitions: other.partitions }
    }
    const before = group.members.get(session)
    if (before && isSameEntry(before, entry)) return { kind: 'joined' }
    this.#groups.set(name, group)
    group.members.set(session, { partitions: entry.partitions, resting: [...entry.resting] })
    session.groups.add(group)
    this.#changed(group, session, nowMs)
    return { kind: 'joined' }
  }

  leave(session: SessionRecord, name: string, nowMs: number): void {
    const group = this.#groups.get(name)
    if (!group?.members.delete(session)) return
    session.groups.delete(group)
    if (group.members.size === 0) this.#groups.delete(name)
    else this.#changed(group, session, nowMs)
  }

  /** Takes an ended session out of all its groups. */
  reap(session: SessionRecord, nowMs: number): void {
    for (const group of session.groups) this.leave(session, group.name, nowMs)
  }

  members(name: string, nowMs: number): readonly Member[] {
    const members: Member[] = []
    for (const [session, { partitions, resting }] of this.#groups.get(name)?.members ?? []) {
      if (!isLive(session, nowMs)) continue
      members.push({ session: session.id, node: session.options.node, partitions, resting: [...resting] })
    }
    return members.sort((one, other) => (one.session < other.session ? -1 : 1))
  }

  survey(nowMs: number): Findings['memberships'] {
    return [...this.#groups.keys()].flatMap((group) => this.members(group, nowMs).map((member) => ({ group, member })))
  }

  /** The version of a group, or 0 where it has no members. */
  version(name: string): number {
    return this.#groups.get(name)?.version ?? 0
  }

  /** How many groups have members. */
  get size(): number {
    return this.#groups.size
  }

  #changed(group: GroupRecord, by: SessionRecord, nowMs: number): void {
    this.#lastVersion += 1
    group.version = this.#lastVersion
    for (const member of group.members.keys()) {
      if (member !== by && isLive(member, nowMs)) this.#push(member, { type: 'members.changed', group: group.name })
    }
  }
}

function isSameEntry(one: MemberEntry, other: MemberEntry): boolean {
  return (
    one.partitions === other.partitions &&
    one.resting.length === other.resting.length &&
    one.resting.every((partition, index) => partition === other.resting[index])
  )
}
