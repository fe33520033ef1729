/** What one call on the records works with. Its instant is read while the lock is held, so that later calls see a later one. */
import type { Statements } from './statements.ts'

export interface Call {
  readonly sql: Statements
  readonly namespace: string
  readonly boot: string
  readonly nowMs: number
  /** What a token is at least. */
  readonly leastToken: number
}

/** When a session runs out, and by which clock. */
export interface Lifetime {
  readonly boot: string
  readonly expiry: number
}

/** A session of another boot is live until a reaper of this machine has seen it idle for long enough, and has ended it. */
export function isLive(call: Call, { boot, expiry }: Lifetime): boolean {
  return boot === call.boot ? expiry > call.nowMs : expiry > 0
}

/** The same as a condition on a row of `sessions s`, with the values that it takes. */
export const LIVE = '((s.boot = ? AND s.expiry > ?) OR (s.boot <> ? AND s.expiry > 0))'

export function liveBy({ boot, nowMs }: Call): readonly [string, number, string] {
  return [boot, nowMs, boot]
}
