/**
 * One namespace of the memory store: every command of the port as one synchronous step, addressed by session id.
 * Knows no promises, no timers and no clients; what it pushes goes to one function.
 */
import { SimbaError } from '../../model/errors.ts'
import type {
  CampaignAnswer,
  Hint,
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
} from '../port.ts'
import { surveyOf } from '../survey.ts'
import { Groups } from './groups.ts'
import { grantsOf, Leases } from './leases.ts'
import { Quarantine, type ServerRun } from './quarantine.ts'
import { expiryOf, isLive, newSessionRecord, type SessionRecord } from './records.ts'

/** The most leases that one call reaps. */
const REAP_LIMIT = 100

/** What a namespace needs of the server that it lives in. */
export interface Server {
  nowMs(): number
  wallMs(): number
  run(): ServerRun
  push(session: string, hint: Hint): void
}

const UNKNOWN = { kind: 'unknown' } as const
const STALE = { kind: 'stale' } as const

export class Namespace {
  readonly #server: Server
  readonly #sessions = new Map<string, SessionRecord>()
  readonly #leases: Leases
  readonly #groups: Groups
  readonly #quarantine = new Quarantine()

  constructor(server: Server) {
    this.#server = server
    const push = (session: SessionRecord, hint: Hint) => server.push(session.id, hint)
    this.#leases = new Leases(push)
    this.#groups = new Groups(push)
  }

  /** Opening a live session again is the same session: the answer to the first time was lost. */
  open(id: string, options: SessionOptions): OpenAnswer {
    const nowMs = this.#server.nowMs()
    const known = this.#sessions.get(id)
    if (known && !isLive(known, nowMs)) {
      throw new SimbaError('BACKEND_UNAVAILABLE', `The session ${id} has run out and cannot be opened again.`)
    }
    this.#meet(options, nowMs)
    if (known) known.renewedAtMs = nowMs
    else this.#sessions.set(id, newSessionRecord(id, options, nowMs))
    return { epoch: this.#quarantine.epoch }
  }

  renew(id: string, request: RenewRequest): RenewAnswer {
    const nowMs = this.#server.nowMs()
    const session = this.#live(id, nowMs)
    if (!session) return UNKNOWN
    this.#meet(session.options, nowMs)
    session.renewedAtMs = nowMs
    session.numbers.settle(request.settled)
    this.#reap(nowMs)
    const answer = {
      kind: 'renewed',
      inbox: this.#inbox(session),
      nextExpiryInMs: this.#nextExpiryInMs(session, nowMs),
      epoch: this.#quarantine.epoch,
    } as const
    return request.epoch === answer.epoch ? answer : { ...answer, holds: grantsOf(session) }
  }

  look(id: string): LookAnswer {
    const session = this.#live(id, this.#server.nowMs())
    return session ? { kind: 'inbox', inbox: this.#inbox(session) } : UNKNOWN
  }

  campaign(id: string, lease: string, number: number): CampaignAnswer {
    const nowMs = this.#server.nowMs()
    const session = this.#live(id, nowMs)
    if (!session) return UNKNOWN
    if (!session.numbers.take('lease', lease, number)) return STALE
    this.#meet(session.options, nowMs)
    const retryInMs = this.#quarantine.remainingMs(nowMs)
    if (retryInMs === 0) return this.#leases.campaign(session, lease, nowMs, this.#server.wallMs())
    this.#leases.queue(session, lease)
    return { kind: 'quarantined', retryInMs }
  }

  withdraw(id: string, lease: string, number: number): WithdrawAnswer {
    const nowMs = this.#server.nowMs()
    const session = this.#live(id, nowMs)
    if (!session) return UNKNOWN
    if (!session.numbers.take('lease', lease, number)) return STALE
    this.#leases.withdraw(session, lease, nowMs)
    return { kind: 'withdrawn' }
  }

  release(id: string, lease: string, token: number, number: number): ReleaseAnswer {
    const nowMs = this.#server.nowMs()
    const session = this.#live(id, nowMs)
    if (!session) return UNKNOWN
    if (!session.numbers.take('lease', lease, number)) return STALE
    return this.#leases.release(session, lease, token, nowMs)
  }

  join(id: string, group: string, entry: MemberEntry, number: number): JoinAnswer {
    const nowMs = this.#server.nowMs()
    const session = this.#live(id, nowMs)
    if (!session) return UNKNOWN
    if (!session.numbers.take('group', group, number)) return STALE
    this.#meet(session.options, nowMs)
    return this.#groups.join(session, group, entry, nowMs)
  }

  leave(id: string, group: string, number: number): LeaveAnswer {
    const nowMs = this.#server.nowMs()
    const session = this.#live(id, nowMs)
    if (!session) return UNKNOWN
    if (!session.numbers.take('group', group, number)) return STALE
    this.#groups.leave(session, group, nowMs)
    return { kind: 'left' }
  }

  members(id: string, group: string): MembersAnswer {
    const nowMs = this.#server.nowMs()
    if (!this.#live(id, nowMs)) return UNKNOWN
    return { kind: 'members', version: this.#groups.version(group), members: this.#groups.members(group, nowMs) }
  }

  /** Ends the session at once. Where it has many leases, the reapers of others do the rest. */
  close(id: string): void {
    const session = this.#sessions.get(id)
    if (!session) return
    session.renewedAtMs = Number.NEGATIVE_INFINITY
    this.#reapSession(session, REAP_LIMIT, this.#server.nowMs())
  }

  leaders(leases: readonly string[]): readonly (Leader | null)[] {
    const nowMs = this.#server.nowMs()
    return leases.map((lease) => this.#leases.leader(lease, nowMs))
  }

  survey(most: number): Survey {
    const nowMs = this.#server.nowMs()
    const found = { ...this.#leases.survey(nowMs, this.#server.wallMs()), memberships: this.#groups.survey(nowMs) }
    return surveyOf(found, most)
  }

  /** What it remembers, to show that it forgets. */
  get size() {
    let numbers = 0
    for (const session of this.#sessions.values()) numbers += session.numbers.remembered
    return { sessions: this.#sessions.size, leases: this.#leases.size, groups: this.#groups.size, numbers }
  }

  #live(id: string, nowMs: number): SessionRecord | undefined {
    const session = this.#sessions.get(id)
    return session && isLive(session, nowMs) ? session : undefined
  }

  #meet({ leaseDurationMs }: SessionOptions, nowMs: number): void {
    this.#quarantine.meet(this.#server.run(), leaseDurationMs, nowMs)
  }

  #inbox(session: SessionRecord): Inbox {
    return {
      freed: [...session.offers.keys()].map((lease) => lease.name),
      groups: Object.fromEntries([...session.groups].map((group) => [group.name, group.version])),
    }
  }

  #reap(nowMs: number): void {
    const ended: SessionRecord[] = []
    for (const session of this.#sessions.values()) {
      // A clock that has stepped back must not pin a session that nobody renews.
      session.renewedAtMs = Math.min(session.renewedAtMs, nowMs)
      if (!isLive(session, nowMs)) ended.push(session)
    }
    ended.sort((one, other) => (expiryOf(one) < expiryOf(other) ? -1 : 1))
    let limit = REAP_LIMIT
    for (const session of ended) limit -= this.#reapSession(session, limit, nowMs)
    for (const session of this.#sessions.values()) {
      if (isLive(session, nowMs)) limit -= this.#leases.passOnOverdue(session, limit, nowMs)
    }
  }

  /** Returns how many leases it took, at most `limit`. */
  #reapSession(session: SessionRecord, limit: number, nowMs: number): number {
    this.#groups.reap(session, nowMs)
    const reaped = this.#leases.reap(session, limit, nowMs)
    if (session.held.size + session.candidacies.size === 0) this.#sessions.delete(session.id)
    return reaped
  }

  #nextExpiryInMs(self: SessionRecord, nowMs: number): number | null {
    let nextMs = Number.POSITIVE_INFINITY
    for (const session of this.#sessions.values()) {
      if (session !== self) nextMs = Math.min(nextMs, expiryOf(session))
      for (const offeredAtMs of session.offers.values()) {
        nextMs = Math.min(nextMs, offeredAtMs + session.options.renewIntervalMs)
      }
    }
    return nextMs === Number.POSITIVE_INFINITY ? null : Math.max(0, nextMs - nowMs)
  }
}
