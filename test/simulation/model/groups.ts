/** Who is a member of a group, and what each member announces. */
import type { JoinAnswer, Member, MemberEntry } from '../../../src/backends/port.ts'
import { isLive, sessionOf } from './sessions.ts'
import { type Membership, push, type Store } from './store.ts'

/** The living members, sorted by session id. */
export function membersOf(store: Store, group: string): readonly Member[] {
  return store.memberships
    .filter((fact) => fact.group === group && isLive(store, fact.session))
    .map(({ session, entry }) => ({ session, node: sessionOf(store, session)?.node ?? '', ...entry }))
    .sort((one, other) => (one.session < other.session ? -1 : 1))
}

/** Living members must agree on the number of partitions: whoever comes with another one is no member, even if it was one before. */
export function join(store: Store, session: string, group: string, entry: MemberEntry): readonly [Store, JoinAnswer] {
  const opponent = membersOf(store, group).find(
    (member) => member.session !== session && member.partitions !== entry.partitions,
  )
  if (opponent) return [leave(store, session, group), { kind: 'mismatch', partitions: opponent.partitions }]
  const before = membershipOf(store, session, group)
  if (before && isSameEntry(before.entry, entry)) return [store, { kind: 'joined' }]
  const memberships = [...store.memberships.filter((fact) => fact !== before), { group, session, entry }]
  return [changeGroup({ ...store, memberships }, group, session), { kind: 'joined' }]
}

export function leave(store: Store, session: string, group: string): Store {
  const membership = membershipOf(store, session, group)
  if (membership === undefined) return store
  return changeGroup({ ...store, memberships: store.memberships.filter((fact) => fact !== membership) }, group)
}

/** Each change of the members or of what they announce is a greater version, of which all members are told but the one who made it. */
export function changeGroup(store: Store, group: string, by?: string): Store {
  const version = store.lastVersion + 1
  const versions = [...store.versions.filter((fact) => fact.group !== group), { group, version }]
  const told = store.memberships.filter((fact) => fact.group === group && fact.session !== by)
  const changed: Store = { ...store, lastVersion: version, versions }
  return told.reduce((after, { session }) => push(after, session, { type: 'members.changed', group }), changed)
}

/** 0 where the group never had a member. */
export function versionOf(store: Store, group: string): number {
  return store.versions.find((fact) => fact.group === group)?.version ?? 0
}

function membershipOf(store: Store, session: string, group: string): Membership | undefined {
  return store.memberships.find((fact) => fact.session === session && fact.group === group)
}

function isSameEntry(one: MemberEntry, other: MemberEntry): boolean {
  return one.partitions === other.partitions && one.resting.join() === other.resting.join()
}
