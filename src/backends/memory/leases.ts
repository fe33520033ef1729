/** The leases of one namespace: who holds each, who stands in line for it, and to whom it is offered. */
import type { CampaignAnswer, Contender, Grant, Hint, Leader, ReleaseAnswer } from '../port.ts'
import { type Findings, ledForMs } from '../survey.ts'
import { isLive, type LeaseRecord, type SessionRecord } from './records.ts'

/** Tells a session where to look. */
export type Push = (session: SessionRecord, hint: Hint) => void

export class Leases {
  readonly #leases = new Map<string, LeaseRecord>()
  readonly #push: Push
  #lastToken = 0

  constructor(push: Push) {
    this.#push = push
  }

  campaign(session: SessionRecord, name: string, nowMs: number, wallMs: number): CampaignAnswer {
    const lease = this.#at(name)
    if (lease.holder && lease.holder !== session && isLive(lease.holder, nowMs)) {
      this.#join(lease, session)
      return { kind: 'held', holder: lease.holder.options.node }
    }
    this.#endOffer(lease)
    this.#leaveLine(lease, session)
    this.#endHold(lease)
    lease.holder = session
    session.held.add(lease)
    // One counter for all leases, so that a lease can be forgotten; no less than the clock, so that the counter can be, too.
    this.#lastToken = Math.max(this.#lastToken + 1, Math.floor(wallMs * 1_000))
    lease.token = this.#lastToken
    return { kind: 'granted', token: lease.token }
  }

  /** Stands in line without asking for a grant. */
  queue(session: SessionRecord, name: string): void {
    this.#join(this.#at(name), session)
  }

  release(session: SessionRecord, name: string, token: number, nowMs: number): ReleaseAnswer {
    const lease = this.#leases.get(name)
    if (lease?.holder !== session || lease.token !== token) return { kind: 'not-held' }
    this.#endHold(lease)
    this.#passOn(lease, nowMs)
    return { kind: 'released' }
  }

  /** Ends whatever the session has there. */
  withdraw(session: SessionRecord, name: string, nowMs: number): void {
    const lease = this.#leases.get(name)
    if (!lease) return
    this.#leaveLine(lease, session)
    if (lease.offeredTo === session) this.#endOffer(lease)
    else if (lease.holder === session) this.#endHold(lease)
    // Others who stand in line since a quarantine campaign by themselves when it is over.
    else if (lease.line.size > 0 || lease.holder) return
    this.#passOn(lease, nowMs)
  }

  /** Withdraws an ended session from at most `limit` leases, and returns how many there were. */
  reap(session: SessionRecord, limit: number, nowMs: number): number {
    let reaped = 0
    for (const leases of [session.held, session.candidacies]) {
      for (const lease of leases) {
        if (reaped === limit) return reaped
        reaped += 1
        this.withdraw(session, lease.name, nowMs)
      }
    }
    return reaped
  }

  /** Passes on at most `limit` offers that the session has let lie, and returns how many there were. */
  passOnOverdue(session: SessionRecord, limit: number, nowMs: number): number {
    let passed = 0
    for (const [lease, offeredAtMs] of session.offers) {
      // A clock that has stepped back must not make an offer stand for longer.
      if (offeredAtMs > nowMs) session.offers.set(lease, nowMs)
      const isOverdue = offeredAtMs + session.options.renewIntervalMs <= nowMs
      if (!isOverdue || passed === limit) continue
      passed += 1
      this.#endOffer(lease)
      this.#leaveLine(lease, session)
      this.#join(lease, session)
      this.#passOn(lease, nowMs)
    }
    return passed
  }

  leader(name: string, nowMs: number): Leader | null {
    const lease = this.#leases.get(name)
    if (!lease?.holder || !isLive(lease.holder, nowMs)) return null
    return { node: lease.holder.options.node, token: lease.token }
  }

  /** What the living hold, and where they stand in line. */
  survey(nowMs: number, wallMs: number): Pick<Findings, 'holds' | 'places'> {
    const holds: Findings['holds'][number][] = []
    const places: Findings['places'][number][] = []
    for (const { name: lease, holder, token, line } of this.#leases.values()) {
      if (holder && isLive(holder, nowMs)) {
        holds.push({ lease, holder: { ...contenderOf(holder), token, ledForMs: ledForMs(token, wallMs) } })
      }
      for (const session of line) if (isLive(session, nowMs)) places.push({ lease, contender: contenderOf(session) })
    }
    return { holds, places }
  }

  /** How many leases somebody holds or wants. */
  get size(): number {
    return this.#leases.size
  }

  #at(name: string): LeaseRecord {
    const known = this.#leases.get(name)
    if (known) return known
    const lease: LeaseRecord = { name, holder: null, token: 0, line: new Set(), offeredTo: null }
    this.#leases.set(name, lease)
    return lease
  }

  #join(lease: LeaseRecord, session: SessionRecord): void {
    lease.line.add(session)
    session.candidacies.add(lease)
  }

  #leaveLine(lease: LeaseRecord, session: SessionRecord): void {
    lease.line.delete(session)
    session.candidacies.delete(lease)
  }

  #endOffer(lease: LeaseRecord): void {
    lease.offeredTo?.offers.delete(lease)
    lease.offeredTo = null
  }

  #endHold(lease: LeaseRecord): void {
    lease.holder?.held.delete(lease)
    lease.holder = null
  }

  /** Offers a lease that nobody holds or is offered to the first live candidate, or forgets it. */
  #passOn(lease: LeaseRecord, nowMs: number): void {
    if (lease.holder || lease.offeredTo) return
    for (const candidate of lease.line) {
      if (isLive(candidate, nowMs)) {
        lease.offeredTo = candidate
        candidate.offers.set(lease, nowMs)
        this.#push(candidate, { type: 'lease.freed', lease: lease.name })
        return
      }
      this.#leaveLine(lease, candidate)
    }
    this.#leases.delete(lease.name)
  }
}

function contenderOf({ id, options }: SessionRecord): Contender {
  return { session: id, node: options.node }
}

export function grantsOf(session: SessionRecord): readonly Grant[] {
  return [...session.held].map(({ name, token }) => ({ lease: name, token }))
}
