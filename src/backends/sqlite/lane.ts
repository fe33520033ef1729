/**
 * Calls on their way to the file, first come first served: all that wait share one transaction. Where the file is locked, a lane
 * tries again for a while, without blocking the event loop; nothing else is ever repeated.
 */
import { NotSentError, SimbaError } from '../../model/errors.ts'
import { type Database, isBusy } from './database.ts'
import type { Statements } from './statements.ts'
import type { Begin } from './transaction.ts'

/** How long a call waits for a file that is locked all the time before it is rejected. */
const BUSY_LIMIT_MS = 3_000

/** The longest pause after a first attempt. Pauses are random, so that those who wait do not meet again and again. */
const PAUSE_LIMIT_MS = 30

/** How much longer the pause may be for each millisecond of an unbroken lock: its holder stands still, and this process has other work. */
const PAUSE_GROWTH = 0.1

/** How long one transaction goes on taking calls. Others want the lock, and the event loop has more to do. */
const HOLD_LIMIT_MS = 5

/** How long the lock is left to others when a transaction took less than all that waited. */
const REST_MS = 1

interface Waiting {
  readonly body: (statements: Statements) => unknown
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
  readonly sinceMs: number
}

export class Lane {
  readonly #database: Database
  readonly #begin: Begin
  readonly #random: () => number
  #waiting: Waiting[] = []
  #cancelDrain: (() => void) | null = null
  #lockedSinceMs: number | null = null
  #closed = false

  constructor(database: Database, begin: Begin, random: () => number) {
    this.#database = database
    this.#begin = begin
    this.#random = random
  }

  /** The body may be run several times, but its effects come once. */
  run<T>(body: (statements: Statements) => T): Promise<T> {
    if (this.#closed) return Promise.reject(closedError())
    return new Promise((resolve, reject) => {
      this.#waiting.push({ body, resolve: resolve as (result: unknown) => void, reject, sinceMs: performance.now() })
      // In the loop's next turn: whoever calls again and again must not keep it from everything else.
      if (this.#cancelDrain === null) this.#drainAtOnce()
    })
  }

  close(): void {
    this.#closed = true
    this.#cancelDrain?.()
    this.#cancelDrain = null
    this.#reject(this.#waiting.length, closedError())
  }

  #drainAtOnce(): void {
    const handle = setImmediate(() => this.#drain())
    this.#cancelDrain = () => clearImmediate(handle)
  }

  #drainIn(delayMs: number): void {
    const handle = setTimeout(() => this.#drain(), delayMs)
    this.#cancelDrain = () => clearTimeout(handle)
  }

  #drain(): void {
    this.#cancelDrain = null
    const results: unknown[] = []
    try {
      this.#database.transaction(this.#begin, (statements) => {
        const untilMs = performance.now() + HOLD_LIMIT_MS
        for (const { body } of this.#waiting) {
          results.push(body(statements))
          if (performance.now() >= untilMs) break
        }
      })
    } catch (error) {
      this.#failed(error)
      return
    }
    this.#lockedSinceMs = null
    const served = this.#waiting.splice(0, results.length)
    if (this.#waiting.length > 0) this.#drainIn(REST_MS)
    for (const [index, { resolve }] of served.entries()) resolve(results[index])
  }

  #failed(error: unknown): void {
    if (!isBusy(error)) {
      this.#reject(this.#waiting.length, error)
      return
    }
    const nowMs = performance.now()
    this.#lockedSinceMs ??= nowMs
    if (this.#lockedSinceMs <= nowMs - BUSY_LIMIT_MS) this.#rejectOverdue(nowMs - BUSY_LIMIT_MS, error)
    const pauseLimitMs = PAUSE_LIMIT_MS + (nowMs - this.#lockedSinceMs) * PAUSE_GROWTH
    if (this.#waiting.length > 0) this.#drainIn(this.#random() * pauseLimitMs)
    else this.#lockedSinceMs = null
  }

  #rejectOverdue(sinceMs: number, cause: unknown): void {
    const first = this.#waiting.findIndex((call) => call.sinceMs > sinceMs)
    const message = `Another process has kept ${this.#database.path} locked for ${BUSY_LIMIT_MS} ms.`
    const count = first === -1 ? this.#waiting.length : first
    this.#reject(count, new NotSentError(message, { cause }))
  }

  #reject(count: number, error: unknown): void {
    for (const { reject } of this.#waiting.splice(0, count)) reject(error)
  }
}

function closedError(): SimbaError {
  return new SimbaError('BACKEND_UNAVAILABLE', 'The connection is closed.')
}
