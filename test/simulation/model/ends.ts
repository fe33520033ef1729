/** How sessions and offers end, and when the next of them may. */
import { changeGroup } from './groups.ts'
import { offerOn, passOn } from './leases.ts'
import { changeSessions, isLive, sessionOf } from './sessions.ts'
import type { Store } from './store.ts'

/** A session ends with all that it has: leases and offers go to the next in line, groups lose a member, and its numbers are forgotten. */
export function end(store: Store, session: string): Store {
  const others = <Fact extends { readonly session: string }>(facts: readonly Fact[]) =>
    facts.filter((fact) => fact.session !== session)
  const had = <Fact extends { readonly session: string }>(facts: readonly Fact[]) =>
    facts.filter((fact) => fact.session === session)
  const without: Store = {
    ...store,
    sessions: others(store.sessions),
    numbers: others(store.numbers),
    holds: others(store.holds),
    places: others(store.places),
    offers: others(store.offers),
    memberships: others(store.memberships),
  }
  const freed = [...had(store.holds), ...had(store.offers)].reduce((after, { lease }) => offerOn(after, lease), without)
  return had(store.memberships).reduce((after, { group }) => changeGroup(after, group), freed)
}

/** What each renewal does for the others: sessions that have run out end, and offers that nobody took go to the next in line. */
export function reap(store: Store): Store {
  const cut = cutToLength(store)
  const runOut = cut.sessions.filter(({ session }) => !isLive(cut, session))
  const ended = runOut.reduce((after, { session }) => end(after, session), cut)
  return ended.offers.filter(({ endsAtMs }) => endsAtMs <= ended.nowMs).reduce(passOn, ended)
}

/** Nothing is further away than its own length, unless the clock was set back since; and that must not keep the dead alive. */
function cutToLength(store: Store): Store {
  const cut = changeSessions(store, (fact) => ({
    ...fact,
    expiresAtMs: Math.min(fact.expiresAtMs, store.nowMs + fact.leaseDurationMs),
  }))
  const offers = cut.offers.map((offer) => ({
    ...offer,
    endsAtMs: Math.min(offer.endsAtMs, store.nowMs + (sessionOf(store, offer.session)?.renewIntervalMs ?? 0)),
  }))
  return { ...cut, offers }
}

/** When the next other session, or an offer, runs out. */
export function nextExpiryInMs(store: Store, session: string): number | null {
  const others = store.sessions.filter((fact) => fact.session !== session).map(({ expiresAtMs }) => expiresAtMs)
  const ends = [...others, ...store.offers.map(({ endsAtMs }) => endsAtMs)]
  return ends.length === 0 ? null : Math.max(0, Math.min(...ends) - store.nowMs)
}
