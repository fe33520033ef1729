/**
 * What one session has to do with one lease. Whoever has created the lease's holder node holds it; who finds it there stands in line as
 * a candidate and watches what is ahead of it: the candidate before it, or, as the first one, the holder. So a release wakes one candidate.
 */
import type { CampaignAnswer, ReleaseAnswer, WithdrawAnswer } from '../port.ts'
import { ANY_VERSION, type Change } from './client/changes.ts'
import { LostError, wasRefused } from './client/errors.ts'
import type { Happening } from './client/watches.ts'
import type { Desk } from './desk.ts'
import { candidatePrefix, inOrder } from './paths.ts'
import { formatHolder, readNode } from './records.ts'
import { Commands, Turns } from './turns.ts'

/** This session's holder node. */
interface Hold {
  readonly token: number
  readonly version: number
}

/** The lease may be freed and taken again behind a campaign's back. */
const MOST_ATTEMPTS = 5
/** Those ahead may leave while they are looked for. */
const MOST_STEPS = 100

export class Lease {
  readonly #desk: Desk
  readonly #name: string
  readonly #turns = new Turns()
  readonly #commands = new Commands(this.#turns, () => this.#find())
  #hold: Hold | null = null
  /** The name of this session's candidate. */
  #candidate: string | null = null
  /** Nobody is ahead in line. */
  #isFirst = false
  /** Nobody is behind either. */
  #isAlone = false
  /** First in line for a lease that is free. */
  #isOffered = false
  /** Seen to be free, and perhaps taken and freed since. */
  #freeSinceMs: number | undefined
  /** Nothing is watched that should be. */
  #isLoose = false
  /** Finding out what is ahead, because something there has changed. */
  #relinking: Promise<void> = Promise.resolve()

  constructor(desk: Desk, name: string) {
    this.#desk = desk
    this.#name = name
  }

  get isOffered(): boolean {
    return this.#isOffered
  }

  /** In line behind somebody else. */
  get isWaiting(): boolean {
    return this.#candidate !== null && !this.#isFirst
  }

  /** Of the grant that this session has. */
  get token(): number | null {
    return this.#hold?.token ?? null
  }

  /** Whether there is nothing to remember. */
  get isBlank(): boolean {
    const isInvolved = this.#hold || this.#candidate !== null || this.#isOffered || !this.#commands.isCertain
    return !isInvolved && this.#turns.isIdle
  }

  campaign(): Promise<CampaignAnswer> {
    return this.#commands.take(async () => {
      let holder = ''
      for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
        const token = await this.#take(attempt)
        if (token !== null) return { kind: 'granted', token }
        const found = await this.#lineUp()
        if (found) holder = found.holder
        if (found?.isFree === false) {
          this.#offer(false)
          return { kind: 'held', holder }
        }
      }
      // Others were faster each time. If it is free now, it is offered, as to anybody in line.
      this.#relink()
      return { kind: 'held', holder }
    })
  }

  withdraw(): Promise<WithdrawAnswer> {
    return this.#commands.take(async () => {
      for (let attempt = 1; this.#hold || this.#candidate !== null; attempt++) {
        try {
          await this.#desk.commit(...this.#freeing(), ...this.#leaving())
          this.#leftLine()
          this.#hold = null
        } catch (error) {
          await this.#lookAgainAfter(error, attempt)
        }
      }
      return { kind: 'withdrawn' }
    })
  }

  release(token: number): Promise<ReleaseAnswer> {
    return this.#commands.take(async () => {
      for (let attempt = 1; this.#hold?.token === token; attempt++) {
        try {
          await this.#desk.commit(...this.#freeing())
          this.#hold = null
          return { kind: 'released' }
        } catch (error) {
          await this.#lookAgainAfter(error, attempt)
        }
      }
      return { kind: 'not-held' }
    })
  }

  /** The connection is back, or somebody wants to know for certain: watches what should be watched. */
  mend(): void {
    if (this.#isLoose) this.#relink()
  }

  /**
   * Looks whether the lease lies there free, though somebody is ahead in line who does not take it: whose process stands still, and whose
   * session has yet to run out. An offer is no reservation.
   */
  async glance(): Promise<void> {
    if (!this.isWaiting) return
    const holder = await this.#readHolder()
    const { renewIntervalMs, now } = this.#desk
    this.#freeSinceMs = holder ? undefined : (this.#freeSinceMs ?? now())
    const isFree = this.#freeSinceMs !== undefined && now() - this.#freeSinceMs > renewIntervalMs / 2
    if (this.isWaiting) this.#offer(isFree)
  }

  /** Resolves when everything that the server has told so far is understood. */
  settled(): Promise<void> {
    return this.#relinking
  }

  /** Reads what this session really has here. */
  async #find(): Promise<void> {
    const [holder, names] = await Promise.all([this.#readHolder(), this.#readLine()])
    const prefix = candidatePrefix(this.#desk.session)
    this.#hold = holder?.hold ?? null
    this.#candidate = names.find((name) => name.startsWith(prefix)) ?? null
    if (this.#candidate === null) this.#leftLine()
  }

  /** What was ours has been changed by somebody else. Nobody does but an operator, and yet this must not go on for ever. */
  async #lookAgainAfter(error: unknown, attempt: number): Promise<void> {
    if (!wasRefused(error, 'NoNode', 'BadVersion') || attempt >= MOST_ATTEMPTS) throw error
    await this.#find()
  }

  /** Returns the token where the lease was free, or held by this session already. */
  async #take(attempt: number): Promise<number | null> {
    const { node, session, token } = this.#desk
    const path = this.#holderPath
    const data = formatHolder(node, session)
    const write = (version: number): Change => ({ type: 'set', path, data, version })
    const changes: readonly Change[] = this.#hold
      ? [write(this.#hold.version)]
      : // Written once more right away: of a node that was only created, the server does not tell the transaction.
        [{ type: 'create', path, data, kind: 'ephemeral' }, write(0), ...this.#leaving()]
    try {
      const changed = await this.#desk.commit(...changes)
      const { mzxid, version } = changed[this.#hold ? 0 : 1]!.stat!
      this.#hold = { token: token(mzxid), version }
      this.#leftLine()
      return this.#hold.token
    } catch (error) {
      if (!wasRefused(error, 'NodeExists')) await this.#lookAgainAfter(error, attempt)
      return null
    }
  }

  /** Stands in line where it does not yet. Returns whose the lease is, or null where it was nobody's or is this session's own. */
  async #lineUp(): Promise<{ readonly holder: string; readonly isFree: boolean } | null> {
    const [holder] = await Promise.all([this.#readHolder(), this.#queue()])
    if (holder?.hold) this.#hold = holder.hold
    if (!holder || holder.hold) return null
    return { holder: holder.node, isFree: await this.#link() }
  }

  async #queue(): Promise<void> {
    const line = this.#linePath
    for (let attempt = 0; this.#candidate === null; attempt++) {
      try {
        const path = `${line}/${candidatePrefix(this.#desk.session)}`
        const [created] = await this.#desk.commit({ type: 'create', path, data: '', kind: 'candidate' })
        this.#candidate = created!.path!.slice(line.length + 1)
      } catch (error) {
        if (!wasRefused(error, 'NoNode') || attempt === MOST_ATTEMPTS) throw error
        await this.#openLine()
      }
    }
  }

  /** It goes away by itself some time after its last candidate, or with that one. */
  async #openLine(): Promise<void> {
    try {
      await this.#desk.commit({ type: 'create', path: this.#linePath, data: '', kind: 'container' })
    } catch (error) {
      if (!wasRefused(error, 'NodeExists')) throw error
    }
  }

  /** Watches what is ahead in line, or the holder. Returns whether there is nothing. */
  async #link(): Promise<boolean> {
    const { client } = this.#desk
    this.#isLoose = true
    for (let step = 0; step < MOST_STEPS; step++) {
      const names = inOrder(await this.#readLine())
      const place = names.indexOf(this.#candidate ?? '')
      if (place < 0) {
        // Deleted by an operator: the election has to come again.
        this.#leftLine()
        return true
      }
      this.#isFirst = place === 0
      this.#isAlone = names.length === 1
      if (this.#isFirst) return this.#watchHolder()
      const ahead = `${this.#linePath}/${names[place - 1]}`
      if (await client.exists(ahead, () => this.#relink())) {
        this.#isLoose = false
        return false
      }
      client.unwatch('node', ahead)
    }
    throw new LostError(`too many leave the line for ${this.#name} at once`)
  }

  async #watchHolder(): Promise<boolean> {
    const isHeld = await this.#desk.client.exists(this.#holderPath, (happening) => this.#onHolder(happening))
    this.#isLoose = false
    return !isHeld
  }

  #onHolder(happening: Happening): void {
    // Told at once. Whoever is told campaigns, and sees then whether somebody was faster.
    if (happening === 'deleted' && this.#isFirst) this.#offer(true)
    this.#relink()
  }

  /** Finds out what is ahead now. Nobody comes to be ahead of the first one, who need not wait for a command that is under way. */
  #relink(): void {
    const candidate = this.#candidate
    if (candidate === null) return
    this.#isLoose = true
    const relinked = this.#isFirst ? this.#lookAtHolder(candidate) : this.#turns.take(() => this.#lookAhead())
    // It stays loose then.
    this.#relinking = relinked.catch(() => {})
  }

  async #lookAhead(): Promise<void> {
    if (this.#candidate !== null && this.#isLoose) this.#offer(await this.#link())
  }

  async #lookAtHolder(candidate: string): Promise<void> {
    const isFree = await this.#watchHolder()
    if (candidate === this.#candidate) this.#offer(isFree)
  }

  #offer(isOffered: boolean): void {
    const isNew = isOffered && !this.#isOffered
    this.#isOffered = isOffered
    if (isNew) this.#desk.hint({ type: 'lease.freed', lease: this.#name })
  }

  #leftLine(): void {
    const wasAlone = this.#candidate !== null && this.#isAlone
    this.#candidate = null
    this.#isFirst = false
    this.#isOffered = false
    this.#freeSinceMs = undefined
    const { client } = this.#desk
    client.unwatch('node', this.#holderPath)
    // Refused where somebody else has come to stand in line.
    if (wasAlone) client.change({ type: 'delete', path: this.#linePath, version: ANY_VERSION }).catch(() => {})
  }

  #freeing(): readonly Change[] {
    return this.#hold ? [{ type: 'delete', path: this.#holderPath, version: this.#hold.version }] : []
  }

  #leaving(): readonly Change[] {
    const path = `${this.#linePath}/${this.#candidate}`
    return this.#candidate === null ? [] : [{ type: 'delete', path, version: ANY_VERSION }]
  }

  /** Whose the lease is. `hold` is given where that is this very session. */
  async #readHolder(): Promise<{ readonly node: string; readonly hold?: Hold } | null> {
    const { client, token } = this.#desk
    try {
      const { data, stat } = await client.data(this.#holderPath)
      const isOurs = stat.ephemeralOwner === client.sessionId
      return { node: readNode(data), ...(isOurs && { hold: { token: token(stat.mzxid), version: stat.version } }) }
    } catch (error) {
      if (wasRefused(error, 'NoNode')) return null
      throw error
    }
  }

  async #readLine(): Promise<readonly string[]> {
    try {
      return (await this.#desk.client.children(this.#linePath)).names
    } catch (error) {
      if (wasRefused(error, 'NoNode')) return []
      throw error
    }
  }

  get #holderPath(): string {
    return this.#desk.paths.holder(this.#name)
  }

  get #linePath(): string {
    return this.#desk.paths.line(this.#name)
  }
}
