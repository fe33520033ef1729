/** One grant's reign, as leader work sees it. */

import type { TermEndReason } from '../model/endings.ts'
import { TermExpiredError } from '../model/errors.ts'
import { type Duration, toMs } from './durations.ts'

/**
 * A term: from the grant of a lease to its end. Work keeps the term that it was started in, and never sees a later one.
 *
 * JavaScript cannot interrupt work: the signal is a request. A write that must not come from a former leader has to carry `token` to a
 * resource that refuses a smaller one than it has seen.
 */
export interface Term {
  readonly lease: string
  /** The fencing token: greater than that of every earlier term of this lease, and of no other term. A safe integer. */
  readonly token: number
  /** Where the lease is a partition's. */
  readonly partition?: number
  /** Aborts once, when the term is told to end. Its reason is a `TermExpiredError`. */
  readonly signal: AbortSignal
  /** Resolves when the signal aborts, with the same reason. Never rejects. */
  readonly revoked: Promise<TermExpiredError>
  /** Compares the clock at each read: false from the moment that the term is told to end, or out of time, whichever is first. */
  readonly isValid: boolean
  /** Milliseconds until the deadline as it is known now; renewals move it. After the revoke: what is left to clean up. */
  readonly remainingMs: number
  /**
   * Throws `TermExpiredError` unless the term is valid and, where `expected` is given, has at least this long to go as things stand.
   *
   * @example
   * term.ensureValid('2s')
   * await upload(batch, { fencingToken: term.token, signal: term.signal })
   */
  ensureValid(expected?: Duration): void
}

/** What a term needs to know from its client. */
export interface Reign {
  now(): number
  /** Until when the session is valid that carries the term; moves with each renewal, and is past once the session is over. */
  validUntilMs(): number
}

export interface TermIdentity {
  readonly lease: string
  readonly token: number
  readonly partition?: number
}

/** The runtime's side of a term. */
export class LiveTerm implements Term {
  readonly lease: string
  readonly token: number
  readonly partition?: number
  readonly #reign: Reign
  /** Made when somebody asks: ten thousand idle terms need no signals. */
  #controller: AbortController | undefined
  #revoked: PromiseWithResolvers | undefined
  #end: { readonly reason: TermEndReason; deadlineMs: number } | undefined
  #error: TermExpiredError | undefined
  #exitWithinMs = 0

  constructor({ lease, token, partition }: TermIdentity, reign: Reign) {
    this.lease = lease
    this.token = token
    this.partition = partition
    this.#reign = reign
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#end) this.#controller.abort(this.#endError(this.#end.reason))
    }
    return this.#controller.signal
  }

  get revoked(): Promise<TermExpiredError> {
    if (!this.#revoked) {
      this.#revoked = withResolvers()
      if (this.#end) this.#revoked.resolve(this.#endError(this.#end.reason))
    }
    return this.#revoked.promise
  }

  get isRevoked(): boolean {
    return this.#end !== undefined
  }

  get isValid(): boolean {
    return this.#end === undefined && this.#reign.now() < this.#reign.validUntilMs()
  }

  get remainingMs(): number {
    return Math.max(0, this.deadlineMs - this.#reign.now())
  }

  /** On the client's clock. */
  get deadlineMs(): number {
    return this.#end?.deadlineMs ?? this.#reign.validUntilMs()
  }

  /** Until when the exit of the work is awaited: the deadline, but for work that is ended by force then, and need only be gone. */
  get exitByMs(): number {
    return this.deadlineMs + this.#exitWithinMs
  }

  /** The work of this term is ended by force at the deadline, and its exit awaited for so long after that. */
  awaitExitFor(ms: number): void {
    this.#exitWithinMs = ms
  }

  /** Why it was told to end. */
  get endReason(): TermEndReason | undefined {
    return this.#end?.reason
  }

  ensureValid(expected: Duration = 0): void {
    const expectedMs = toMs('expected', expected, { minMs: 0 })
    if (!this.isValid) {
      throw this.#end
        ? this.#endError(this.#end.reason)
        : new TermExpiredError(`Term ${this.token} of ${this.lease} is out of time.`, 'expired')
    }
    if (this.remainingMs < expectedMs) {
      const message = `Term ${this.token} of ${this.lease} has ${Math.floor(this.remainingMs)} ms left, less than the ${expectedMs} ms asked for.`
      throw new TermExpiredError(message, 'expired')
    }
  }

  /** Tells the work, once, and fixes the deadline: from here on the term does not profit from renewals. */
  revoke(reason: TermEndReason): void {
    if (this.#end) return
    this.#end = { reason, deadlineMs: this.#reign.validUntilMs() }
    this.#controller?.abort(this.#endError(reason))
    this.#revoked?.resolve(this.#endError(reason))
  }

  /** As `revoke`, with nothing left: the lease may be another's already. */
  cut(reason: TermEndReason): void {
    this.revoke(reason)
    if (this.#end) this.#end.deadlineMs = Math.min(this.#end.deadlineMs, this.#reign.now())
  }

  /** One for everybody who asks. */
  #endError(reason: TermEndReason): TermExpiredError {
    this.#error ??= new TermExpiredError(`Term ${this.token} of ${this.lease} was ended: ${reason}.`, reason)
    return this.#error
  }
}

interface PromiseWithResolvers {
  readonly promise: Promise<TermExpiredError>
  readonly resolve: (error: TermExpiredError) => void
}

function withResolvers(): PromiseWithResolvers {
  let resolve!: (error: TermExpiredError) => void
  const promise = new Promise<TermExpiredError>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
