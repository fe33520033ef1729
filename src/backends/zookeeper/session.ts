/** A client's session in ZooKeeper: which commands are sent at all, and what becomes of them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { SimbaError } from '../../model/errors.ts'
import type {
  BackendEnvironment,
  CampaignAnswer,
  Hint,
  Inbox,
  JoinAnswer,
  LeaveAnswer,
  LookAnswer,
  MemberEntry,
  MembersAnswer,
  OpenAnswer,
  ReleaseAnswer,
  RenewAnswer,
  RenewRequest,
  Session,
  SessionOptions,
  WithdrawAnswer,
} from '../port.ts'
import type { ZooKeeperAddress } from './address.ts'
import type { ZooKeeperClient } from './client/client.ts'
import { SessionOverError } from './client/errors.ts'
import type { Desk } from './desk.ts'
import { inOurWords } from './faults.ts'
import { Groups } from './groups.ts'
import { Leases } from './leases.ts'
import { Numbers } from './numbers.ts'
import type { Paths } from './paths.ts'
import { Presence } from './presence.ts'
import { tokenOf } from './records.ts'

const UNKNOWN = { kind: 'unknown' } as const
const STALE = { kind: 'stale' } as const

/** An ensemble keeps its memory. */
const EPOCH = 1

const LONGEST_SETTLING_MS = 200

export class ZooKeeperSession implements Session {
  readonly id: string
  readonly #presence: Presence
  readonly #numbers = new Numbers()
  readonly #leases: Leases
  readonly #groups: Groups
  #onHint: ((hint: Hint) => void) | undefined

  constructor(
    id: string,
    options: SessionOptions,
    address: ZooKeeperAddress,
    paths: Paths,
    environment: BackendEnvironment,
    onHint: (hint: Hint) => void,
  ) {
    this.id = id
    this.#onHint = onHint
    const hint = (hint: Hint) => this.#onHint?.(hint)
    this.#presence = new Presence({
      ...{ session: id, options, address, paths, environment },
      onHint: hint,
      onBack: () => this.#mend(),
    })
    const desk: Desk = {
      session: id,
      node: options.node,
      client: this.#presence.client,
      paths,
      renewIntervalMs: options.renewIntervalMs,
      now: () => environment.clock.now(),
      commit: (...changes) => this.#presence.commit(changes),
      token: (zxid) => tokenOf(this.#presence.base, zxid),
      hint,
    }
    this.#leases = new Leases(desk)
    this.#groups = new Groups(desk)
  }

  /** Whether there is nothing of it any more that would have to be let go of. */
  get isGone(): boolean {
    return this.#presence.client.isOver
  }

  /** The client, where one may ask it something. */
  get reader(): ZooKeeperClient | undefined {
    const { client } = this.#presence
    return this.#presence.live() && client.isUp ? client : undefined
  }

  async open(): Promise<OpenAnswer> {
    if (!this.#presence.isNew) {
      throw new SimbaError('BACKEND_UNAVAILABLE', `The session ${this.id} has begun before; it opens once.`)
    }
    try {
      return { epoch: EPOCH, provenMsAgo: await this.#presence.open() }
    } catch (error) {
      throw inOurWords(error)
    }
  }

  renew({ settled, epoch }: RenewRequest): Promise<RenewAnswer> {
    return this.#ask(async () => {
      this.#numbers.settle(settled)
      const provenMsAgo = await this.#presence.renew()
      this.#leases.glance()
      const inbox = await this.#readInbox()
      const holds = epoch === EPOCH ? {} : { holds: this.#leases.holds() }
      return { kind: 'renewed', inbox, nextExpiryInMs: null, epoch: EPOCH, provenMsAgo, ...holds }
    })
  }

  look(): Promise<LookAnswer> {
    return this.#ask(async () => {
      await this.#presence.catchUp()
      return { kind: 'inbox', inbox: await this.#readInbox() }
    })
  }

  campaign(lease: string, number: number): Promise<CampaignAnswer> {
    return this.#command(`lease:${lease}`, number, () => this.#leases.with(lease, (at) => at.campaign()))
  }

  withdraw(lease: string, number: number): Promise<WithdrawAnswer> {
    return this.#command(`lease:${lease}`, number, () => this.#leases.with(lease, (at) => at.withdraw()))
  }

  release(lease: string, token: number, number: number): Promise<ReleaseAnswer> {
    return this.#command(`lease:${lease}`, number, () => this.#leases.with(lease, (at) => at.release(token)))
  }

  join(group: string, entry: MemberEntry, number: number): Promise<JoinAnswer> {
    return this.#command(`group:${group}`, number, () => this.#groups.with(group, (at) => at.join(entry)))
  }

  leave(group: string, number: number): Promise<LeaveAnswer> {
    return this.#command(`group:${group}`, number, () => this.#groups.with(group, (at) => at.leave()))
  }

  members(group: string): Promise<MembersAnswer> {
    return this.#ask(() => this.#groups.with(group, (at) => at.members()))
  }

  async close(): Promise<void> {
    this.#onHint = undefined
    try {
      await this.#presence.end()
    } catch (error) {
      throw inOurWords(error)
    }
  }

  /** Lets go of everything here, and leaves the session to run out. */
  abandon(): Promise<void> {
    this.#onHint = undefined
    return this.#presence.leave()
  }

  #command<A>(about: string, number: number, send: () => Promise<A>): Promise<A | typeof UNKNOWN | typeof STALE> {
    return this.#ask<A | typeof STALE>(async () => (this.#numbers.take(about, number) ? send() : STALE))
  }

  async #ask<A>(question: () => Promise<A>): Promise<A | typeof UNKNOWN> {
    if (!this.#presence.live()) return UNKNOWN
    try {
      return await question()
    } catch (error) {
      if (error instanceof SessionOverError) return UNKNOWN
      throw inOurWords(error)
    }
  }

  #mend(): void {
    this.#leases.mend()
    this.#groups.mend()
  }

  async #readInbox(): Promise<Inbox> {
    this.#mend()
    // What is understood later is hinted; the confirmation of a renewal cannot wait for it.
    const limit = new AbortController()
    const late = sleep(LONGEST_SETTLING_MS, undefined, { signal: limit.signal }).catch(() => {})
    await Promise.race([Promise.all([this.#leases.settled(), this.#groups.settled()]), late])
    limit.abort()
    return { freed: this.#leases.freed(), groups: this.#groups.versions() }
  }
}
