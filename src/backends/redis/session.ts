/** A client's session in Redis: each method is one run of one script. */
import { NotSentError, SimbaError } from '../../model/errors.ts'
import type {
  CampaignAnswer,
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
import {
  formatEntry,
  readCampaign,
  readJoin,
  readLeave,
  readLook,
  readMembers,
  readOpen,
  readRelease,
  readRenew,
  readWithdraw,
} from './replies.ts'
import type { ScriptName } from './scripts/index.ts'

/** What a session needs of its connection. */
export interface SessionLink {
  run(script: ScriptName, ...args: readonly (string | number)[]): Promise<unknown>
  /** Right after an answer that this client is to rely on: rejects where replicas should have what was written, and do not. */
  replicated(): Promise<void>
  /** Resolves when the server passes the session's hints on. */
  listen(session: string): Promise<void>
  /** From now on, the session hears nothing more. Resolves when the server was told, where it can be. */
  hush(session: string): Promise<void>
}

export class RedisSession implements Session {
  readonly id: string
  readonly #options: SessionOptions
  readonly #link: SessionLink
  /** Once open in the store for certain, it cannot be opened anew: it is open, or over. */
  #wasOpen = false
  #isOver = false
  /** The run of the server that the last answer came from. */
  #run = ''

  constructor(id: string, options: SessionOptions, link: SessionLink) {
    this.id = id
    this.#options = options
    this.#link = link
  }

  async open(): Promise<OpenAnswer> {
    this.#ensureNotOver()
    // Before it is open: nothing that is meant for it may be missed.
    await this.#link.listen(this.id).catch((cause: SimbaError) => {
      throw cause.code === 'BACKEND_UNAVAILABLE' ? new NotSentError(cause.message, { cause }) : cause
    })
    // Closed meanwhile: it must not come to life behind its end.
    this.#ensureNotOver()
    const { node, leaseDurationMs, renewIntervalMs } = this.#options
    const again = this.#wasOpen ? 'again' : ''
    const reply = readOpen(await this.#link.run('open', this.id, node, leaseDurationMs, renewIntervalMs, again))
    if (reply.kind === 'ended') this.#isOver = true
    if (reply.kind !== 'opened') return this.#refuse()
    this.#wasOpen = true
    await this.#link.replicated()
    this.#run = reply.run
    return { epoch: reply.epoch }
  }

  async renew({ settled, epoch }: RenewRequest): Promise<RenewAnswer> {
    const { answer, run } = readRenew(await this.#link.run('renew', this.id, settled, epoch, this.#run))
    // Before anything is taken note of: a rejection is an answer that was lost.
    if (answer.kind === 'renewed') await this.#link.replicated()
    if (run !== undefined) this.#run = run
    // Over for ever: nothing more will be said to it.
    if (answer.kind === 'unknown' && this.#wasOpen) void this.#link.hush(this.id)
    return answer
  }

  async look(): Promise<LookAnswer> {
    return readLook(await this.#link.run('look', this.id))
  }

  async campaign(lease: string, number: number): Promise<CampaignAnswer> {
    const answer = readCampaign(await this.#link.run('campaign', this.id, lease, number))
    if (answer.kind === 'granted') await this.#link.replicated()
    return answer
  }

  async withdraw(lease: string, number: number): Promise<WithdrawAnswer> {
    return readWithdraw(await this.#link.run('withdraw', this.id, lease, number))
  }

  async release(lease: string, token: number, number: number): Promise<ReleaseAnswer> {
    return readRelease(await this.#link.run('release', this.id, lease, token, number))
  }

  async join(group: string, entry: MemberEntry, number: number): Promise<JoinAnswer> {
    return readJoin(await this.#link.run('join', this.id, group, formatEntry(entry), number))
  }

  async leave(group: string, number: number): Promise<LeaveAnswer> {
    return readLeave(await this.#link.run('leave', this.id, group, number))
  }

  async members(group: string): Promise<MembersAnswer> {
    return readMembers(await this.#link.run('members', this.id, group))
  }

  async close(): Promise<void> {
    this.#isOver = true
    await Promise.all([this.#link.run('close', this.id), this.#link.hush(this.id)])
  }

  #ensureNotOver(): void {
    if (this.#isOver) this.#refuse()
  }

  #refuse(): never {
    throw new SimbaError('BACKEND_UNAVAILABLE', `The session ${this.id} is over; it cannot be opened again.`)
  }
}
