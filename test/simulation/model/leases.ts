/** Who holds a lease, who stands in line for it, and to whom it is offered. */
import type { CampaignAnswer, ReleaseAnswer } from '../../../src/backends/port.ts'
import { isLive, sessionOf } from './sessions.ts'
import { type Hold, type Offer, push, type Store } from './store.ts'

/** A lease is held by a living session, or by nobody: that of a dead one is free to whoever campaigns. */
export function holderOf(store: Store, lease: string): Hold | undefined {
  return store.holds.find((hold) => hold.lease === lease && isLive(store, hold.session))
}

/**
 * A lease that no other living session holds belongs to whoever campaigns, for being next in line is an offer, not a reservation.
 * The present holder gets a new token: the answer with the first one was lost. Everybody else stands in line.
 */
export function campaign(store: Store, session: string, lease: string): readonly [Store, CampaignAnswer] {
  const holder = holderOf(store, lease)
  if (holder !== undefined && holder.session !== session) {
    const node = sessionOf(store, holder.session)?.node ?? ''
    return [standInLine(store, session, lease), { kind: 'held', holder: node }]
  }
  const token = nextToken(store)
  const free = leaveLine(endOffer(endHold(store, lease), lease), session, lease)
  return [
    { ...free, lastToken: token, holds: [...free.holds, { lease, session, token }] },
    { kind: 'granted', token },
  ]
}

/** One counter for all leases, and never behind the wall clock: so tokens grow even where both lease and counter were forgotten. */
function nextToken({ lastToken, wallMs }: Store): number {
  return Math.max(lastToken + 1, Math.floor(wallMs * 1_000))
}

/** Frees the lease where the session holds it under this very token, so that an old release never frees a newer grant. */
export function release(store: Store, session: string, lease: string, token: number): readonly [Store, ReleaseAnswer] {
  const hold = store.holds.find((fact) => fact.lease === lease && fact.session === session && fact.token === token)
  if (hold === undefined) return [store, { kind: 'not-held' }]
  return [offerOn(endHold(store, lease), lease), { kind: 'released' }]
}

/** Ends whatever the session has at the lease. */
export function withdraw(store: Store, session: string, lease: string): Store {
  const isMine = (fact: Hold | Offer) => fact.lease === lease && fact.session === session
  const out = leaveLine(store, session, lease)
  if (store.holds.some(isMine)) return offerOn(endHold(out, lease), lease)
  if (store.offers.some(isMine)) return offerOn(endOffer(out, lease), lease)
  return out
}

/** Whoever stands in line already keeps the one place. */
export function standInLine(store: Store, session: string, lease: string): Store {
  const isThere = store.places.some((place) => place.lease === lease && place.session === session)
  return isThere ? store : { ...store, places: [...store.places, { lease, session }] }
}

function leaveLine(store: Store, session: string, lease: string): Store {
  return { ...store, places: store.places.filter((place) => place.lease !== lease || place.session !== session) }
}

/**
 * A lease that was freed is offered to the first in line that lives; the dead before it lose their places.
 * The offer stands for one renew interval of whom it is made to, who is told at once and keeps the place meanwhile.
 */
export function offerOn(store: Store, lease: string): Store {
  const first = store.places.find((place) => place.lease === lease)
  if (first === undefined) return store
  const candidate = sessionOf(store, first.session)
  if (candidate === undefined || !isLive(store, first.session)) {
    return offerOn(leaveLine(store, first.session, lease), lease)
  }
  const offer = { lease, session: first.session, endsAtMs: store.nowMs + candidate.renewIntervalMs }
  return push({ ...store, offers: [...store.offers, offer] }, first.session, { type: 'lease.freed', lease })
}

/** Whoever did not take an offer in time goes to the end of the line. Alone in it, the same session is offered the lease again. */
export function passOn(store: Store, { lease, session }: Offer): Store {
  return offerOn(standInLine(leaveLine(endOffer(store, lease), session, lease), session, lease), lease)
}

function endHold(store: Store, lease: string): Store {
  return { ...store, holds: store.holds.filter((hold) => hold.lease !== lease) }
}

function endOffer(store: Store, lease: string): Store {
  return { ...store, offers: store.offers.filter((offer) => offer.lease !== lease) }
}
