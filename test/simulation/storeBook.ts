/** The store's side as somebody keeps it who only sees what is asked of the store and answered: sessions, grants, members. */
import type { CampaignAnswer, MemberEntry } from '../../src/backends/port.ts'
import type { Executed } from '../../src/testing.ts'
import { LEASE_MS } from './plan.ts'

export interface Grant {
  readonly lease: string
  readonly token: number
  readonly session: string
  readonly node: string
  readonly atMs: number
  /** When it was released, withdrawn, or gone with a session that was closed. That its session ran out is not noted here. */
  givenBackAtMs?: number
  /** When the store lost its data. */
  forgottenAtMs?: number
}

export interface KnownSession {
  readonly session: string
  readonly node: string
  readonly openedAtMs: number
  /** When the request left that opened it. */
  readonly sentAtMs: number
  /** Until when the store keeps it. */
  untilMs: number
  /** How long the request was under way that has extended it last. */
  underWayMs: number
}

/** All instants are in true time. */
export class StoreBook {
  /** How long the store keeps a session after a renewal. */
  readonly #keepsForMs: number
  readonly #byToken = new Map<number, Grant>()
  readonly #lastOf = new Map<string, Grant>()
  readonly #sessions = new Map<string, KnownSession>()
  readonly #members = new Map<string, Map<string, MemberEntry>>()
  /** When the members of each group have last changed, other than by running out. */
  readonly #changedAtMs = new Map<string, number>()
  /** In which lines each session stands. */
  readonly #places = new Set<string>()
  #quarantinedUntilMs = 0

  /** The store's clock may be faster or slower than true time. */
  constructor(storeRate: number) {
    this.#keepsForMs = LEASE_MS / storeRate
  }

  note({ node, session, method, args, answer, sentAtMs }: Executed, atMs: number): void {
    const kind = (answer as { readonly kind?: string } | undefined)?.kind
    const subject = args[0] as string
    const until = { untilMs: atMs + this.#keepsForMs, underWayMs: atMs - sentAtMs }
    switch (method) {
      case 'open':
        if (answer) this.#sessions.set(session, { session, node, openedAtMs: atMs, sentAtMs, ...until })
        break
      case 'renew':
        if (kind === 'renewed') Object.assign(this.#sessions.get(session) ?? {}, until)
        break
      case 'campaign':
        if (kind === 'granted') this.#noteGrant(subject, node, session, answer, atMs)
        if (kind === 'quarantined') this.#noteQuarantine(answer, atMs)
        if (kind === 'held' || kind === 'quarantined') this.#places.add(`${subject} ${session}`)
        break
      case 'release':
      case 'withdraw':
        if (kind === 'released' || kind === 'withdrawn') this.#giveBack(subject, session, atMs)
        if (kind === 'withdrawn') this.#places.delete(`${subject} ${session}`)
        break
      case 'join':
        if (kind === 'joined') this.#join(subject, session, args[1] as MemberEntry, atMs)
        else if (kind === 'mismatch') this.#leave(subject, session, atMs)
        break
      case 'leave':
        if (kind === 'left') this.#leave(subject, session, atMs)
        break
      case 'close':
        this.#close(session, atMs)
        break
    }
  }

  restart(data: 'kept' | 'lost', atMs: number): void {
    if (data === 'kept') return
    for (const known of this.#sessions.values()) known.untilMs = Math.min(known.untilMs, atMs)
    this.#members.clear()
    this.#places.clear()
    for (const grant of this.#lastOf.values()) grant.forgottenAtMs ??= atMs
  }

  /** Until when nothing is granted, as far as the store has said. */
  get quarantinedUntilMs(): number {
    return this.#quarantinedUntilMs
  }

  /** 0 where the store does not know it. */
  keptUntilMs(session: string): number {
    return this.#sessions.get(session)?.untilMs ?? 0
  }

  session(session: string): KnownSession | undefined {
    return this.#sessions.get(session)
  }

  /** Those that live, or have ended after this instant. */
  sessions(sinceMs: number): readonly KnownSession[] {
    return [...this.#sessions.values()].filter(({ untilMs }) => untilMs > sinceMs)
  }

  /** Who has the lease in the store. */
  holder(lease: string, nowMs: number): Grant | undefined {
    const last = this.#lastOf.get(lease)
    return last && isOpen(last) && this.keptUntilMs(last.session) > nowMs ? last : undefined
  }

  /** Since when the store could have granted the lease to whoever asks for it; Infinity while somebody has it. */
  freeSinceMs(lease: string, nowMs: number): number {
    if (this.#quarantinedUntilMs > nowMs || this.holder(lease, nowMs)) return Number.POSITIVE_INFINITY
    const last = this.#lastOf.get(lease)
    const endedAtMs = last ? (last.givenBackAtMs ?? last.forgottenAtMs ?? this.keptUntilMs(last.session)) : 0
    return Math.max(endedAtMs, this.#quarantinedUntilMs)
  }

  /** Whether a session that lives waits for the lease. */
  isInLine(lease: string, session: string, nowMs: number): boolean {
    return this.#places.has(`${lease} ${session}`) && this.keptUntilMs(session) > nowMs
  }

  /** The last grant of each lease, where nobody has given it back and the store has not forgotten it. */
  open(): readonly Grant[] {
    return [...this.#lastOf.values()].filter(isOpen)
  }

  last(lease: string): Grant | undefined {
    return this.#lastOf.get(lease)
  }

  grant(token: number): Grant | undefined {
    return this.#byToken.get(token)
  }

  /** The members of a group whose sessions live, and what they announce. */
  members(group: string, nowMs: number): readonly ({ readonly session: string } & MemberEntry)[] {
    return [...(this.#members.get(group) ?? [])]
      .filter(([session]) => this.keptUntilMs(session) > nowMs)
      .map(([session, entry]) => ({ session, ...entry }))
  }

  /** Since when the members of a group have been the same. */
  settledSinceMs(group: string, nowMs: number): number {
    const ends = [...(this.#members.get(group)?.keys() ?? [])].map((session) => this.keptUntilMs(session))
    return Math.max(this.#changedAtMs.get(group) ?? 0, ...ends.filter((endMs) => endMs <= nowMs))
  }

  #noteGrant(lease: string, node: string, session: string, answer: unknown, atMs: number): void {
    const { token } = answer as Extract<CampaignAnswer, { kind: 'granted' }>
    const grant: Grant = { lease, token, session, node, atMs }
    this.#byToken.set(token, grant)
    this.#lastOf.set(lease, grant)
    this.#places.delete(`${lease} ${session}`)
  }

  #noteQuarantine(answer: unknown, atMs: number): void {
    const { retryInMs } = answer as Extract<CampaignAnswer, { kind: 'quarantined' }>
    this.#quarantinedUntilMs = Math.max(this.#quarantinedUntilMs, atMs + (retryInMs * this.#keepsForMs) / LEASE_MS)
  }

  #giveBack(lease: string, session: string, atMs: number): void {
    const last = this.#lastOf.get(lease)
    if (last?.session === session) last.givenBackAtMs ??= atMs
  }

  #close(session: string, atMs: number): void {
    const known = this.#sessions.get(session)
    if (known) known.untilMs = Math.min(known.untilMs, atMs)
    for (const grant of this.#lastOf.values()) if (grant.session === session) grant.givenBackAtMs ??= atMs
    for (const group of this.#members.keys()) this.#leave(group, session, atMs)
  }

  #join(group: string, session: string, entry: MemberEntry, atMs: number): void {
    const members = this.#members.get(group) ?? new Map<string, MemberEntry>()
    const before = members.get(session)
    this.#members.set(group, members.set(session, entry))
    if (before?.resting.join() !== entry.resting.join()) this.#changedAtMs.set(group, atMs)
  }

  #leave(group: string, session: string, atMs: number): void {
    if (this.#members.get(group)?.delete(session)) this.#changedAtMs.set(group, atMs)
  }
}

function isOpen({ givenBackAtMs, forgottenAtMs }: Grant): boolean {
  return givenBackAtMs === undefined && forgottenAtMs === undefined
}
