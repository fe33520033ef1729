/** The errors that this library throws. Each has a `code` with one meaning, so that programs need not read the message. */

import type { TermEndReason } from './endings.ts'

export type SimbaErrorCode =
  /** An option, a name or an argument is not allowed. Thrown at once, by the call that was given it. */
  | 'INVALID_OPTION'
  /** This client already has an owner for that lease name. */
  | 'ALREADY_STARTED'
  /** The term is over, or has less time left than asked for. */
  | 'TERM_EXPIRED'
  /** The group's other members have another number of partitions. Published with `group.mismatched`, and logged. */
  | 'PARTITIONS_MISMATCH'
  /** The store did not answer in time, or answered with a failure. What was asked of it may or may not have happened. */
  | 'BACKEND_UNAVAILABLE'
  /** The package that speaks to the store is not installed. */
  | 'DRIVER_MISSING'
  /** The store holds records of a format that this version does not know. */
  | 'BACKEND_FORMAT'
  /** The work itself says that it must not be tried again here. */
  | 'FATAL_WORK'
  /** A command that was leader work has ended with an exit code other than 0, or by a signal. */
  | 'COMMAND_FAILED'
  /** Leader work in a thread or process of its own was still running when its term was out of time, and was ended by force. */
  | 'WORK_KILLED'
  /** A lock was not acquired within its timeout. */
  | 'ACQUIRE_TIMEOUT'
  /** The client was stopped while somebody waited for it. */
  | 'STOPPED'

export class SimbaError extends Error {
  override readonly name: string = 'SimbaError'
  readonly code: SimbaErrorCode

  constructor(code: SimbaErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** There is no way to the store at the moment, so that nothing was sent to it: what was asked has certainly not happened. */
export class NotSentError extends SimbaError {
  constructor(message: string, options?: ErrorOptions) {
    super('BACKEND_UNAVAILABLE', message, options)
  }
}

/**
 * A term is over, or has less time left than was asked for: write nothing more under it. Thrown by `term.ensureValid()`, and the
 * reason of a term's abort signal, where `reason` says why the term ended.
 */
export class TermExpiredError extends SimbaError {
  override readonly name = 'TermExpiredError'
  readonly reason: TermEndReason

  constructor(message: string, reason: TermEndReason, options?: ErrorOptions) {
    super('TERM_EXPIRED', message, options)
    this.reason = reason
  }
}

/**
 * Thrown by leader work to end its loop or block for good and to let another node try: the election steps down for one lease duration.
 *
 * @example
 * throw new FatalWorkError('the disk is full', { cause: error })
 */
export class FatalWorkError extends SimbaError {
  override readonly name = 'FatalWorkError'

  constructor(message: string, options?: ErrorOptions) {
    super('FATAL_WORK', message, options)
  }
}

/** A command that was leader work has failed. One of `exitCode` and `signal` says how it ended. */
export class CommandFailedError extends SimbaError {
  override readonly name = 'CommandFailedError'
  readonly exitCode: number | null
  readonly signal: string | null

  constructor(message: string, end: { readonly exitCode: number | null; readonly signal: string | null }) {
    super('COMMAND_FAILED', message)
    this.exitCode = end.exitCode
    this.signal = end.signal
  }
}

/** An error as plain data, for events and for a machine's context. */
export interface PlainError {
  readonly name: string
  readonly message: string
  readonly code?: string
}

/** Anything that was thrown, as plain data. */
export function plainError(thrown: unknown): PlainError {
  if (!(thrown instanceof Error)) return { name: 'Error', message: textOf(thrown) }
  const code = (thrown as { code?: unknown }).code
  return typeof code === 'string'
    ? { name: thrown.name, message: thrown.message, code }
    : { name: thrown.name, message: thrown.message }
}

/** Objects without a prototype, for one, have no text. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown)
  } catch {
    return Object.prototype.toString.call(thrown)
  }
}
