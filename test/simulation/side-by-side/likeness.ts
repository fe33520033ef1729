/** In what two stores must be alike: in everything but the values of tokens and versions, of which the order alone counts. */
import assert from 'node:assert/strict'
import type { Grant, Inbox, Leader, Member, Survey } from '../../../src/backends/port.ts'
import type { Contestant } from './contestant.ts'

/** Something of the store under test, and the same of the model. */
export type Pair<T> = readonly [tested: T, model: T]

/** Any answer of the port, or a rejection. */
export interface Answer {
  readonly kind?: string
  readonly why?: string
  readonly epoch?: number
  readonly token?: number
  readonly holds?: readonly Grant[]
  readonly inbox?: Inbox
  readonly members?: readonly Member[]
  readonly version?: number
  readonly retryInMs?: number
  readonly nextExpiryInMs?: number | null
  /** How old the store's own proof was: not a matter of what it decides. */
  readonly provenMsAgo?: number
}

export class Likeness {
  readonly #slackMs: number
  readonly #tellsExpiries: boolean
  /** Of all grants, in the order in which they were made. */
  readonly #tokens: Pair<number>[] = []
  /** The versions of each group that were seen last. */
  readonly #versions = new Map<string, Pair<number>>()

  constructor({ slackMs, tellsExpiries }: Pick<Contestant, 'slackMs' | 'tellsExpiries'>) {
    this.#slackMs = slackMs
    this.#tellsExpiries = tellsExpiries
  }

  check([tested, model]: Pair<Answer>, what = 'the answer'): void {
    if (tested.kind === 'granted' && model.kind === 'granted') this.#addTokens([tested.token ?? 0, model.token ?? 0])
    if (!isSame(tested, model)) {
      assert.deepEqual(this.#comparable(tested, 0), this.#comparable(model, 1), what)
      this.#checkDuration([tested.retryInMs, model.retryInMs])
      this.#checkDuration([tested.nextExpiryInMs, model.nextExpiryInMs])
    }
    for (const [group, version] of Object.entries(model.inbox?.groups ?? {})) {
      this.checkVersions(group, [tested.inbox?.groups[group] ?? 0, version])
    }
  }

  checkLeaders([tested, model]: Pair<readonly (Leader | null)[]>): void {
    const comparable = (leaders: readonly (Leader | null)[], side: 0 | 1) =>
      leaders.map((leader) => leader && { ...leader, token: this.#nameOf(leader.token, side) })
    if (!isSame(tested, model)) assert.deepEqual(comparable(tested, 0), comparable(model, 1), 'the leaders')
  }

  checkSurveys([tested, model]: Pair<Survey>): void {
    // For how long is told from tokens, which are those of the model only where time is.
    const comparable = ({ leases, ...rest }: Survey, side: 0 | 1) => ({
      ...rest,
      leases: leases.map(({ holder, ...lease }) => {
        const ledForMs = this.#slackMs === 0 ? holder?.ledForMs : undefined
        return { ...lease, holder: holder && { ...holder, token: this.#nameOf(holder.token, side), ledForMs } }
      }),
    })
    if (!isSame(tested, model)) assert.deepEqual(comparable(tested, 0), comparable(model, 1), 'the survey')
  }

  /** A group's version is greater than the one before exactly where it is in the model. */
  checkVersions(group: string, seen: Pair<number>): void {
    const before = this.#versions.get(group) ?? seen
    this.#versions.set(group, seen)
    const changes = [0, 1].map((side) => Math.sign(seen[side]! - before[side]!))
    assert.equal(
      changes[0],
      changes[1],
      `the version of ${group}: from ${before[0]} to ${seen[0]}, in the model from ${before[1]} to ${seen[1]}`,
    )
  }

  /** The stores have lost their memory. */
  forgetVersions(): void {
    this.#versions.clear()
  }

  #addTokens(tokens: Pair<number>): void {
    const before = this.#tokens.at(-1) ?? [0, 0]
    this.#tokens.push(tokens)
    assert.ok(Number.isSafeInteger(tokens[0]), `the token ${tokens[0]} is a safe integer`)
    if (this.#slackMs === 0) assert.equal(tokens[0], tokens[1], 'the token')
    assert.equal(tokens[0] > before[0], tokens[1] > before[1], `tokens grow: ${tokens[0]} after ${before[0]}`)
  }

  #comparable(
    { why, retryInMs, nextExpiryInMs, version: _, provenMsAgo: __, ...answer }: Answer,
    side: 0 | 1,
  ): unknown {
    const { token, holds, inbox } = answer
    return {
      ...answer,
      ...(token !== undefined && { token: this.#nameOf(token, side) }),
      ...(holds && { holds: holds.map((grant) => `${grant.lease} ${this.#nameOf(grant.token, side)}`).sort() }),
      ...(inbox && { inbox: { freed: [...inbox.freed].sort(), groups: Object.keys(inbox.groups).sort() } }),
      retryInMs: typeof retryInMs,
      nextExpiryInMs: this.#isNone(nextExpiryInMs, side) ? 'none' : typeof nextExpiryInMs,
    }
  }

  #isNone(nextExpiryInMs: number | null | undefined, side: 0 | 1): boolean {
    if (side === 1 && !this.#tellsExpiries) return nextExpiryInMs !== undefined
    return nextExpiryInMs === null
  }

  /** Which grant had this token. */
  #nameOf(token: number, side: 0 | 1): string {
    const index = this.#tokens.findLastIndex((tokens) => tokens[side] === token)
    return index < 0 ? `the token ${token} of no grant` : `grant ${index}`
  }

  #checkDuration([tested, model]: Pair<number | null | undefined>): void {
    if (typeof tested !== 'number' || typeof model !== 'number') return
    assert.ok(tested >= 0 && Math.abs(tested - model) <= this.#slackMs, `${tested} ms instead of ${model} ms`)
  }
}

/** Word for word. Mostly so, and then found out fast. */
function isSame(tested: unknown, model: unknown): boolean {
  return JSON.stringify(tested) === JSON.stringify(model)
}
