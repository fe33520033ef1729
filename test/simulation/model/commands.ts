/** Every call of the port, as a step from one store to the next and an answer. What is unknown comes first, then what is stale. */
import type {
  CampaignAnswer,
  Inbox,
  JoinAnswer,
  Leader,
  LeaveAnswer,
  LookAnswer,
  MemberEntry,
  MembersAnswer,
  OpenAnswer,
  ReleaseAnswer,
  RenewAnswer,
  RenewRequest,
  SessionOptions,
  Survey,
  WithdrawAnswer,
} from '../../../src/backends/port.ts'
import { end, nextExpiryInMs, reap } from './ends.ts'
import * as groups from './groups.ts'
import * as leases from './leases.ts'
import { isStale, settle, useUp } from './numbers.ts'
import { epochOf, meet, quarantineMs } from './quarantine.ts'
import { begin, extend, isLive, sessionOf } from './sessions.ts'
import type { Store, Subject } from './store.ts'

export type Step<Answer> = readonly [Store, Answer]

const UNKNOWN = { kind: 'unknown' } as const
const STALE = { kind: 'stale' } as const

/** Opening a session that lives is opening it again, because the answer was lost. One that has ended is refused. */
export function open(store: Store, session: string, options: SessionOptions): Step<OpenAnswer | 'refused'> {
  const lives = isLive(store, session)
  if (!lives && store.spentIds.includes(session)) return [store, 'refused']
  const met = meet(store, options.leaseDurationMs)
  const opened = lives ? extend(met, session) : begin(met, session, options)
  return [opened, { epoch: epochOf(opened) }]
}

/** Who heard of another epoch is told what is still held in its name: some of it may have been forgotten. */
export function renew(store: Store, session: string, { settled, epoch }: RenewRequest): Step<RenewAnswer> {
  if (!isLive(store, session)) return [store, UNKNOWN]
  const after = reap(settle(extend(meetAs(store, session), session), session, settled))
  const answer = {
    kind: 'renewed',
    inbox: inboxOf(after, session),
    nextExpiryInMs: nextExpiryInMs(after, session),
    epoch: epochOf(after),
  } as const
  if (epoch === answer.epoch) return [after, answer]
  const mine = after.holds.filter((hold) => hold.session === session)
  return [after, { ...answer, holds: mine.map(({ lease, token }) => ({ lease, token })) }]
}

export function look(store: Store, session: string): LookAnswer {
  return isLive(store, session) ? { kind: 'inbox', inbox: inboxOf(store, session) } : UNKNOWN
}

/** In quarantine, a campaign stands in line and is granted nothing, not even to the present holder. */
export function campaign(store: Store, session: string, lease: string, number: number): Step<CampaignAnswer> {
  return numbered<CampaignAnswer>(store, session, `lease ${lease}`, number, (admitted) => {
    const met = meetAs(admitted, session)
    const retryInMs = quarantineMs(met)
    if (retryInMs === 0) return leases.campaign(met, session, lease)
    return [leases.standInLine(met, session, lease), { kind: 'quarantined', retryInMs }]
  })
}

export function withdraw(store: Store, session: string, lease: string, number: number): Step<WithdrawAnswer> {
  return numbered<WithdrawAnswer>(store, session, `lease ${lease}`, number, (admitted) => [
    leases.withdraw(admitted, session, lease),
    { kind: 'withdrawn' },
  ])
}

export function release(
  store: Store,
  session: string,
  lease: string,
  token: number,
  number: number,
): Step<ReleaseAnswer> {
  return numbered(store, session, `lease ${lease}`, number, (admitted) =>
    leases.release(admitted, session, lease, token),
  )
}

export function join(
  store: Store,
  session: string,
  group: string,
  entry: MemberEntry,
  number: number,
): Step<JoinAnswer> {
  return numbered(store, session, `group ${group}`, number, (admitted) =>
    groups.join(meetAs(admitted, session), session, group, entry),
  )
}

export function leave(store: Store, session: string, group: string, number: number): Step<LeaveAnswer> {
  return numbered<LeaveAnswer>(store, session, `group ${group}`, number, (admitted) => [
    groups.leave(admitted, session, group),
    { kind: 'left' },
  ])
}

/** Any living session may ask, member or not. */
export function members(store: Store, session: string, group: string): MembersAnswer {
  if (!isLive(store, session)) return UNKNOWN
  return { kind: 'members', version: groups.versionOf(store, group), members: groups.membersOf(store, group) }
}

/** Once closed, a session cannot be opened, even if it never was. */
export function close(store: Store, session: string): Store {
  const spent = { ...store, spentIds: [...store.spentIds, session] }
  return sessionOf(store, session) ? end(spent, session) : spent
}

export function leader(store: Store, lease: string): Leader | null {
  const hold = leases.holderOf(store, lease)
  return hold ? { node: sessionOf(store, hold.session)?.node ?? '', token: hold.token } : null
}

/** Of each kind, at most so many: the first by lease and place, or by group and session. */
export function survey(store: Store, most: number): Survey {
  const isOfLiving = ({ session }: { session: string }) => isLive(store, session)
  const contender = ({ session }: { session: string }) => ({ session, node: sessionOf(store, session)?.node ?? '' })
  const holds = sortBy(store.holds.filter(isOfLiving), ({ lease }) => lease)
  const places = sortBy(store.places.filter(isOfLiving), ({ lease }) => lease)
  const memberships = sortBy(store.memberships.filter(isOfLiving), ({ group, session }) => `${group} ${session}`)
  const isWhole = [holds, places, memberships].every(({ length }) => length <= most)
  for (const facts of [holds, places, memberships]) facts.splice(most)
  const namesOf = (names: readonly string[]) => [...new Set(names)].sort()
  return {
    leases: namesOf([...holds, ...places].map(({ lease }) => lease)).map((lease) => {
      const hold = holds.find((fact) => fact.lease === lease)
      const aheadMs = hold ? hold.token / 1_000 - store.wallMs : 0
      const ledForMs = aheadMs > 1_000 ? null : Math.max(0, Math.floor(-aheadMs))
      return {
        lease,
        holder: hold ? { ...contender(hold), token: hold.token, ledForMs } : null,
        waiting: places.filter((place) => place.lease === lease).map(contender),
      }
    }),
    groups: namesOf(memberships.map(({ group }) => group)).map((group) => ({
      group,
      members: memberships
        .filter((fact) => fact.group === group)
        .map((fact) => ({ ...contender(fact), ...fact.entry })),
    })),
    isWhole,
  }
}

/** A copy, in which equals stay in their order. */
function sortBy<Fact>(facts: readonly Fact[], nameOf: (fact: Fact) => string): Fact[] {
  return [...facts].sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : nameOf(one) > nameOf(other) ? 1 : 0))
}

/** What waits for a session: read, not taken. */
function inboxOf(store: Store, session: string): Inbox {
  const joined = store.memberships.filter((fact) => fact.session === session)
  return {
    freed: store.offers.filter((offer) => offer.session === session).map(({ lease }) => lease),
    groups: Object.fromEntries(joined.map(({ group }) => [group, groups.versionOf(store, group)])),
  }
}

/** A late or repeated command does nothing, and any other uses up its number, whatever comes of it. */
function numbered<Answer>(
  store: Store,
  session: string,
  subject: Subject,
  number: number,
  effect: (store: Store) => Step<Answer>,
): Step<Answer | typeof UNKNOWN | typeof STALE> {
  if (!isLive(store, session)) return [store, UNKNOWN]
  if (isStale(store, session, subject, number)) return [store, STALE]
  return effect(useUp(store, session, subject, number))
}

function meetAs(store: Store, session: string): Store {
  return meet(store, sessionOf(store, session)?.leaseDurationMs ?? 0)
}
