/**
 * This client's dealings with the store: the present session, those that are over but perhaps not in the store, the numbers that
 * commands carry, and a deadline around every call. It decides nothing; what an answer means is for the machines to say.
 */
import type { Backend, Connection, Hint, Session } from '../backends/port.ts'
import type { Opened, Renewed } from '../machines/session.ts'
import type {
  CampaignAnswer,
  Grant,
  JoinAnswer,
  Leader,
  LeaveAnswer,
  LookAnswer,
  MemberEntry,
  MembersAnswer,
  ReleaseAnswer,
  WithdrawAnswer,
} from '../model/answers.ts'
import { NotSentError, SimbaError } from '../model/errors.ts'
import type { Survey } from '../model/survey.ts'
import type { Events } from './events.ts'
import { Health } from './health.ts'
import { Lane } from './lane.ts'
import type { Settings } from './settings.ts'

/** A session of this client, with what is known of it here. */
interface Held {
  readonly handle: Session
  /** On this client's clock; past once the session is over. */
  validUntilMs: number
  isOver: boolean
  /** When the store has forgotten it for certain, once it is over. */
  forgottenAtMs: number
  /** When the next renewal is to leave, at the latest; `undefined` while it is known to be late. */
  renewalDueMs: number | undefined
  /** The number of the last command. */
  number: number
  /** Commands that were neither answered nor given up. */
  readonly pending: Set<number>
}

/** How many commands of a client are under way at a time. Renewals do not wait for them. */
const MOST_COMMANDS = 64

/** A renewal that is late by more than this part of the lease duration is worth a warning. */
const LATE_PART = 0.1

export class Store {
  readonly #backend: Backend
  readonly #settings: Settings
  readonly #health: Health
  readonly #onHint: (hint: Hint) => void
  readonly #held = new Map<string, Held>()
  readonly #lane: Lane
  /** Gives up a call whose answer is awaited. */
  readonly #underWay = new Set<() => void>()
  #connection: Connection | undefined

  constructor(settings: Settings, events: Events, onHint: (hint: Hint) => void) {
    this.#backend = settings.backend
    this.#settings = settings
    this.#health = new Health(settings, events)
    this.#lane = new Lane(MOST_COMMANDS, (next) => settings.clock.wakeAt(settings.clock.now(), next))
    this.#onHint = onHint
  }

  /** Until when the session is valid on this client's clock. A session that is not known here never was. */
  validUntilMs(session: string): number {
    return this.#held.get(session)?.validUntilMs ?? 0
  }

  isLive(session: string): boolean {
    return this.#settings.clock.now() < this.validUntilMs(session)
  }

  extend(session: string, validUntilMs: number): void {
    const held = this.#held.get(session)
    if (held && !held.isOver) held.validUntilMs = validUntilMs
  }

  /** From here on nothing of the session is valid. `isGone`: the store itself has said that it knows no such session. */
  end(session: string, isGone: boolean): void {
    const held = this.#held.get(session)
    if (!held) return
    this.#over(held)
    if (isGone) this.#drop(session, held)
  }

  endAll(): void {
    for (const held of this.#held.values()) this.#over(held)
  }

  #over(held: Held): void {
    if (held.isOver) return
    const { clock, leaseDurationMs, marginMs } = this.#settings
    held.isOver = true
    held.validUntilMs = Math.min(held.validUntilMs, clock.now())
    held.forgottenAtMs = clock.now() + leaseDurationMs + marginMs
  }

  async open(): Promise<Opened> {
    this.#connection ??= this.#connect()
    const held: Held = {
      handle: this.#connection.session(this.#settings, (hint) => {
        if (!held.isOver) this.#onHint(hint)
      }),
      validUntilMs: 0,
      isOver: false,
      forgottenAtMs: 0,
      renewalDueMs: undefined,
      number: 0,
      pending: new Set(),
    }
    const { id } = held.handle
    this.#held.set(id, held)
    // Counted from before the request leaves, so never longer than the store counts.
    const validUntilMs = this.#validIfConfirmedNow()
    try {
      const { renewIntervalMs } = this.#settings
      const { epoch, provenMsAgo = 0 } = await this.#ask('open', renewIntervalMs, () => held.handle.open())
      this.#planRenewal(held)
      return { session: id, epoch, validUntilMs: validUntilMs - provenMsAgo }
    } catch (error) {
      if (hasNotHappened(error)) this.#drop(id, held)
      else this.#over(held)
      throw error
    }
  }

  async renew(session: string, epoch: number): Promise<Renewed> {
    this.#noteLateness(session)
    const held = this.#living(session)
    const validUntilMs = this.#validIfConfirmedNow()
    const [oldest] = held.pending
    const settled = oldest === undefined ? held.number : oldest - 1
    const answer = await this.#ask('renew', this.#timeLeft(held), () => held.handle.renew({ settled, epoch }))
    this.#planRenewal(held)
    const provenMsAgo = (answer.kind === 'renewed' && answer.provenMsAgo) || 0
    return { answer, validUntilMs: validUntilMs - provenMsAgo }
  }

  #planRenewal(held: Held): void {
    const { clock, renewIntervalMs } = this.#settings
    held.renewalDueMs = clock.now() + renewIntervalMs
  }

  /** Warns once of each renewal that leaves late, even where it comes too late for the session. */
  #noteLateness(session: string): void {
    const held = this.#held.get(session)
    if (held?.renewalDueMs === undefined) return
    const { clock, leaseDurationMs, logger } = this.#settings
    const lateMs = clock.now() - held.renewalDueMs
    held.renewalDueMs = undefined
    if (lateMs <= leaseDurationMs * LATE_PART) return
    logger.warn(
      { session, lateMs, remainingMs: Math.max(0, held.validUntilMs - clock.now()) },
      'A renewal is late: the event loop was blocked, or the process stood still. A longer delay ends all terms. ' +
        'Long computations belong into a worker thread, or into pieces: docs/writing-leader-work.md.',
    )
  }

  look(session: string): Promise<LookAnswer> {
    const held = this.#living(session)
    return this.#ask('look', this.#timeLeft(held), () => held.handle.look())
  }

  campaign(session: string, lease: string): Promise<CampaignAnswer> {
    return this.#command('campaign', session, (handle, number) => handle.campaign(lease, number))
  }

  withdraw(session: string, lease: string): Promise<WithdrawAnswer> {
    return this.#command('withdraw', session, (handle, number) => handle.withdraw(lease, number))
  }

  release(session: string, lease: string, token: number): Promise<ReleaseAnswer> {
    return this.#command('release', session, (handle, number) => handle.release(lease, token, number))
  }

  join(session: string, group: string, entry: MemberEntry): Promise<JoinAnswer> {
    return this.#command('join', session, (handle, number) => handle.join(group, entry, number))
  }

  leave(session: string, group: string): Promise<LeaveAnswer> {
    return this.#command('leave', session, (handle, number) => handle.leave(group, number))
  }

  members(session: string, group: string): Promise<MembersAnswer> {
    const held = this.#living(session)
    return this.#ask('members', this.#timeLeft(held), () => held.handle.members(group))
  }

  /** Gives back what the store has in the session's name and nobody here answers for. */
  async returnStrays(session: string, grants: readonly Grant[], isOurs: (lease: string) => boolean): Promise<void> {
    for (const { lease } of grants) {
      // Asked right before the call: an election that begins later campaigns with a greater number, which this one cannot undo.
      if (!isOurs(lease)) await this.withdraw(session, lease)
    }
  }

  async leader(lease: string): Promise<Leader | null> {
    const [leader] = await this.#askWithoutSession('leaders', (connection) => () => connection.leaders([lease]))
    return leader ?? null
  }

  survey(most: number): Promise<Survey> {
    return this.#askWithoutSession('survey', (connection) => {
      const { survey } = connection
      if (survey) return () => survey.call(connection, most)
      throw new SimbaError('INVALID_OPTION', `The backend '${this.#backend.name}' has no survey.`)
    })
  }

  /** Works without a session, and without a connection that stays. */
  async #askWithoutSession<A>(name: string, prepare: (connection: Connection) => () => Promise<A>): Promise<A> {
    const connection = this.#connection ?? this.#connect()
    try {
      return await this.#ask(name, this.#settings.renewIntervalMs, prepare(connection))
    } finally {
      if (connection !== this.#connection)
        void connection.close().catch((error) => this.#health.failed('disconnect', error))
    }
  }

  /** Ends in the store every session that is over, but perhaps not there. */
  async clear(): Promise<void> {
    for (const [session, held] of this.#held) {
      if (!held.isOver) continue
      if (this.#settings.clock.now() < held.forgottenAtMs) {
        // Of what has come to nothing there is nothing to close: then a backend answers by itself, and not the store.
        await this.#bounded('close', this.#settings.renewIntervalMs, () => held.handle.close())
        this.#held.delete(session)
      } else {
        this.#drop(session, held)
      }
    }
  }

  /** The store has nothing of it. What its backend keeps for it, hints say, goes with its closing, whatever that answers. */
  #drop(session: string, held: Held): void {
    this.#held.delete(session)
    void held.handle.close().catch(() => {})
  }

  async disconnect(): Promise<void> {
    const connection = this.#connection
    this.#connection = undefined
    // Answers that are still under way are nobody's, and their deadlines would keep the process alive.
    for (const giveUp of this.#underWay) giveUp()
    if (connection) await this.#bounded('close', this.#settings.renewIntervalMs, () => connection.close())
  }

  #connect(): Connection {
    const { clock, random, logger, namespace } = this.#settings
    return this.#backend.connect({ clock, random, logger, namespace })
  }

  #validIfConfirmedNow(): number {
    const { clock, leaseDurationMs, marginMs } = this.#settings
    return clock.now() + leaseDurationMs - marginMs
  }

  #living(session: string): Held {
    const held = this.#held.get(session)
    // What is sent when time is out can only do harm: a renewal would keep from others what this client has lost.
    if (held && !held.isOver && this.isLive(session)) return held
    throw new SimbaError('BACKEND_UNAVAILABLE', `The session ${session} is over.`)
  }

  #timeLeft(held: Held): number {
    return Math.min(this.#settings.renewIntervalMs, held.validUntilMs - this.#settings.clock.now())
  }

  #command<A>(name: string, session: string, send: (handle: Session, number: number) => Promise<A>): Promise<A> {
    return this.#lane.run(async () => {
      const held = this.#living(session)
      // Taken when the command leaves, so that numbers grow in the order of sending.
      const number = ++held.number
      held.pending.add(number)
      try {
        return await this.#ask(name, this.#timeLeft(held), () => send(held.handle, number))
      } finally {
        held.pending.delete(number)
      }
    })
  }

  /** An answer of the store itself. */
  async #ask<A>(name: string, limitMs: number, call: () => Promise<A>): Promise<A> {
    const answer = await this.#bounded(name, limitMs, call)
    this.#health.answered(name)
    return answer
  }

  /** An answer that comes later than `limitMs` is nobody's any more. */
  async #bounded<A>(name: string, limitMs: number, call: () => Promise<A>): Promise<A> {
    const { clock } = this.#settings
    const store = this.#backend.name
    let settled = () => {}
    let isOurs = false
    const late = new Promise<never>((_, reject) => {
      const fail = (message: string) => reject(new SimbaError('BACKEND_UNAVAILABLE', message))
      const expire = () => fail(`${store} did not answer '${name}' within ${Math.ceil(limitMs)} ms.`)
      // Where the process was held up, the answer may be here, unread. One more turn, and it has been read.
      let cancel = clock.wakeAt(clock.now() + limitMs, () => {
        cancel = clock.wakeAt(clock.now(), expire)
      })
      const giveUp = () => {
        isOurs = true
        fail(`The connection to ${store} was closed before '${name}' was answered.`)
      }
      this.#underWay.add(giveUp)
      settled = () => {
        cancel()
        this.#underWay.delete(giveUp)
      }
    })
    try {
      return await Promise.race([call(), late])
    } catch (error) {
      // Who closes the connection learns nothing of the store.
      if (!isOurs) this.#health.failed(name, error)
      throw error
    } finally {
      settled()
    }
  }
}

/** The store was not reached, or will have nothing to do with us: it has no session of this attempt. */
function hasNotHappened(error: unknown): boolean {
  if (error instanceof NotSentError) return true
  return error instanceof SimbaError && (error.code === 'DRIVER_MISSING' || error.code === 'BACKEND_FORMAT')
}
