/**
 * A session of the port as ZooKeeper sees it: a ZooKeeper session, and a node of its own that each renewal writes to. Every command is
 * refused where that node's version is not the expected one: so what arrives late, from an earlier connection, does nothing.
 */
import { NotSentError, plainError } from '../../model/errors.ts'
import type { BackendEnvironment, Hint, SessionOptions } from '../port.ts'
import type { ZooKeeperAddress } from './address.ts'
import { ANY_VERSION, type Change, type Changed } from './client/changes.ts'
import { ZooKeeperClient } from './client/client.ts'
import { LostError, RefusedError, SessionOverError, wasRefused } from './client/errors.ts'
import { inOurWords } from './faults.ts'
import type { Paths } from './paths.ts'
import { Proof } from './proof.ts'
import { formatNode } from './records.ts'
import { ensureRoot } from './root.ts'
import { checkTimeout, silenceFor, timeoutFor } from './settings.ts'

/** A touch has to be this old when the next renewal comes, which may come a little early. */
const TICKS_BEFORE_RENEWAL = 1.25
/** Until the server has forgotten a session for certain, beyond its timeout. */
const TICKS_TO_FORGET = 2
const LONGEST_TIMER_MS = 2 ** 31 - 1

export interface PresenceOptions {
  readonly session: string
  readonly options: SessionOptions
  readonly address: ZooKeeperAddress
  readonly paths: Paths
  readonly environment: BackendEnvironment
  readonly onHint: (hint: Hint) => void
  /** The connection was lost, and is back: what was under way then is not done. */
  readonly onBack: () => void
}

export class Presence {
  readonly client: ZooKeeperClient
  readonly #given: PresenceOptions
  readonly #path: string
  readonly #proof: Proof
  #state: 'new' | 'opening' | 'open' | 'over' = 'new'
  /** By one's own clock. Whatever the server would say, the session is over then. */
  #overAtMs = 0
  #base = 0
  /** Of the session's node, once everything that was sent is done. Undefined while no command can be sent. */
  #version: number | undefined
  #touch: NodeJS.Timeout | undefined
  #oblivion: NodeJS.Timeout | undefined

  constructor(given: PresenceOptions) {
    this.#given = given
    const { session, options, address, paths, environment } = given
    const { clock, random, logger } = environment
    const timeoutMs = timeoutFor(options.leaseDurationMs)
    this.#path = paths.session(session)
    this.#proof = new Proof(address.tickMs, clock)
    this.client = new ZooKeeperClient({
      hosts: address.hosts,
      digest: address.digest,
      timeoutMs,
      silenceMs: silenceFor(timeoutMs),
      clock,
      random,
      onUp: (greetedMs) => void this.#onUp(greetedMs),
      onDown: (error) => this.#onDown(error),
      onOver: () => this.#onLost(),
      onAnswer: (sentMs) => this.#proof.answered(sentMs),
      onError: (error) => logger.debug({ err: plainError(error) }, 'A ZooKeeper server cannot be reached.'),
    })
  }

  /** What the tokens of the namespace are counted from. */
  get base(): number {
    return this.#base
  }

  get isNew(): boolean {
    return this.#state === 'new'
  }

  /** Whether the session may be used. Once it has run out here, it is ended at the server, too, where that is possible. */
  live(): boolean {
    if (this.#state !== 'open') return false
    if (this.#given.environment.clock.now() < this.#overAtMs) return true
    this.end().catch(() => {})
    return false
  }

  /** Returns how long before now the time began that the ensemble counts. */
  async open(): Promise<number> {
    this.#state = 'opening'
    const { options, paths, environment } = this.#given
    const { clock } = environment
    const sentMs = clock.now()
    await this.#connect()
    checkTimeout(this.client.timeoutMs, options.leaseDurationMs)
    this.#base = await ensureRoot(this.client, paths, clock)
    await this.#write({ type: 'create', path: this.#path, data: formatNode(options.node), kind: 'ephemeral' })
    this.#version = 0
    if (this.#state !== 'opening') throw new SessionOverError('the session was closed while it was opened')
    this.#state = 'open'
    this.#overAtMs = sentMs + options.leaseDurationMs
    return this.#proof.agoMs(sentMs)
  }

  /** Returns how long before now the time began that the ensemble counts. */
  async renew(): Promise<number> {
    const { options, environment } = this.#given
    const sentMs = environment.clock.now()
    const version = this.#expected()
    this.#version = version + 1
    try {
      await this.#write({ type: 'set', path: this.#path, data: formatNode(options.node), version })
    } catch (error) {
      this.#heed(error)
      throw error
    }
    this.#overAtMs = Math.max(this.#overAtMs, sentMs + options.leaseDurationMs)
    this.#touchBeforeNext()
    return this.#proof.agoMs(sentMs)
  }

  async commit(changes: readonly Change[]): Promise<readonly Changed[]> {
    const version = this.#expected()
    try {
      return (await this.#write({ type: 'check', path: this.#path, version }, ...changes)).slice(1)
    } catch (error) {
      if (error instanceof RefusedError && error.part === 0) this.#heed(error)
      throw error
    }
  }

  /** Resolves when everything has been told that had happened when this was called. */
  async catchUp(): Promise<void> {
    await this.client.sync(this.#given.paths.root)
  }

  /** Resolves when the server has nothing of the session. Until then, it is tried again with each new connection. */
  async end(): Promise<void> {
    this.#state = 'over'
    this.#version = undefined
    clearTimeout(this.#touch)
    const { client } = this
    if (client.isOver || client.sessionId === 0n) return this.leave()
    const ticksMs = TICKS_TO_FORGET * this.#given.address.tickMs
    this.#oblivion ??= setTimeout(() => void this.leave(), Math.min(client.timeoutMs + ticksMs, LONGEST_TIMER_MS))
    await client.end()
    await this.leave()
  }

  /** Lets go of everything here, and leaves the session to run out at the server. Resolves when no socket is left. */
  async leave(): Promise<void> {
    this.#state = 'over'
    clearTimeout(this.#touch)
    clearTimeout(this.#oblivion)
    await this.client.destroy()
  }

  async #connect(): Promise<void> {
    try {
      await this.client.connect()
    } catch (error) {
      // What a lost welcome may have begun at the server has no node, and so is no session of the port.
      throw new NotSentError(inOurWords(error).message, { cause: error })
    }
  }

  async #write(...changes: readonly Change[]): Promise<readonly Changed[]> {
    const sentMs = this.#given.environment.clock.now()
    const changed = await this.client.change(...changes)
    this.#proof.committed(sentMs)
    return changed
  }

  #expected(): number {
    if (this.#version === undefined) throw new LostError('not connected')
    return this.#version
  }

  /** What a refusal of one's own node means. */
  #heed(error: unknown): void {
    // An operator has deleted it; then everything else is in doubt, too.
    if (wasRefused(error, 'NoNode')) {
      this.#onLost()
      throw new SessionOverError('the node of the session is gone')
    }
    // Something of an earlier connection has come after all. The next one finds the version out.
    if (wasRefused(error, 'BadVersion')) this.client.drop(error)
  }

  /** In the middle between two renewals nothing else need be heard of the server, and the next one needs something that is a tick old. */
  #touchBeforeNext(): void {
    clearTimeout(this.#touch)
    const { options, address } = this.#given
    const inMs = options.renewIntervalMs - TICKS_BEFORE_RENEWAL * address.tickMs
    if (inMs <= 0) return
    this.#touch = setTimeout(
      () => {
        if (this.live()) this.client.ping().catch(() => {})
      },
      Math.min(inMs, LONGEST_TIMER_MS),
    )
  }

  async #onUp(greetedMs: number): Promise<void> {
    this.#proof.connected(greetedMs)
    if (this.#state === 'over') return void this.end().catch(() => {})
    if (this.#state !== 'open' || this.#isCutShort()) return
    try {
      // From here on, nothing that was sent before can do anything.
      const data = formatNode(this.#given.options.node)
      const [written] = await this.#write({ type: 'set', path: this.#path, data, version: ANY_VERSION })
      this.#version = written!.stat!.version
    } catch (error) {
      // Whatever else it is: without the version no command is sent, and the session runs out.
      if (wasRefused(error, 'NoNode')) this.#onLost()
      return
    }
    if (!this.live()) return
    const { environment, onBack, onHint } = this.#given
    environment.logger.info({}, 'The connection to ZooKeeper is back.')
    onBack()
    onHint({ type: 'connected' })
  }

  /** Each server decides anew, and from now on the session runs out after the time that this one has decided on. */
  #isCutShort(): boolean {
    const { options, environment } = this.#given
    const { timeoutMs } = this.client
    if (timeoutMs >= options.leaseDurationMs) return false
    environment.logger.error(
      { timeoutMs, leaseDurationMs: options.leaseDurationMs },
      'A ZooKeeper server keeps sessions for less than the lease duration, though another one has not: set maxSessionTimeout alike on all of them. The session is given up.',
    )
    this.#onLost()
    return true
  }

  #onDown(error: Error): void {
    this.#version = undefined
    clearTimeout(this.#touch)
    if (this.#state !== 'open') return
    this.#given.environment.logger.warn({ err: plainError(error) }, 'The connection to ZooKeeper was lost.')
    this.#given.onHint({ type: 'disconnected' })
  }

  #onLost(): void {
    const wasOpen = this.#state === 'open'
    void this.leave()
    if (wasOpen) this.#given.onHint({ type: 'session.lost' })
  }
}
