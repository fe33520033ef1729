/**
 * What a store must offer to carry leases. Sessions hold leases; each method is one atomic call, without retries, timers or
 * caches inside. A call that rejects has an unknown outcome: the store may have applied it, or may yet apply it. Where it has certainly
 * not, and never will, the error may be a `NotSentError`, so that nobody waits for what is not there.
 */
import type {
  CampaignAnswer,
  JoinAnswer,
  Leader,
  LeaveAnswer,
  LookAnswer,
  MemberEntry,
  MembersAnswer,
  OpenAnswer,
  ReleaseAnswer,
  RenewAnswer,
  WithdrawAnswer,
} from '../model/answers.ts'
import type { Clock } from '../model/clock.ts'
import type { Logger } from '../model/logger.ts'
import type { Survey } from '../model/survey.ts'

export type * from '../model/answers.ts'
export { NotSentError } from '../model/errors.ts'
export type * from '../model/survey.ts'

/** A store, not yet connected. Made by `memory()`, `sqlite(path)`, `redis(url)` or by your own function. */
export interface Backend {
  /** For logs and errors, without secrets: `memory`, `sqlite`, `redis`. */
  readonly name: string
  /**
   * How often to `look()` where the store cannot push hints, in milliseconds. Left out where it can.
   * Without pushes, this bounds how long a clean handover takes.
   */
  readonly pollIntervalMs?: number
  /** Throws `INVALID_OPTION` for a client whose sessions this store could not keep. Asked once, before anything else, and without I/O. */
  check?(options: SessionOptions): void
  /** Takes the environment and returns at once; sockets may be opened in the background. */
  connect(environment: BackendEnvironment): Connection
}

/** Everything that a backend may not reach for by itself. */
export interface BackendEnvironment {
  readonly clock: Clock
  /** A number in [0, 1). */
  readonly random: () => number
  readonly logger: Logger
  /** Everything that shares one set of leases. */
  readonly namespace: string
}

/** One client's way to the store. Outlives its sessions. */
export interface Connection {
  /** A session that is not open yet; without any I/O. `onHint` may be called from now on until the session is closed. */
  session(options: SessionOptions, onHint: (hint: Hint) => void): Session
  /** Who holds these leases now, in the order asked. Needs no session. */
  leaders(leases: readonly string[]): Promise<readonly (Leader | null)[]>
  /**
   * What the living hold and want, for an operator: at most so many grants, places in line and memberships each. Needs no session, and
   * writes nothing. Left out by a store that cannot tell.
   */
  survey?(most: number): Promise<Survey>
  /** Lets go of sockets, files and listeners. Sessions that are still open are left to run out. */
  close(): Promise<void>
}

export interface SessionOptions {
  /** The public name that others see as the holder. */
  readonly node: string
  /** For how long the store keeps a session after its opening or its last renewal. */
  readonly leaseDurationMs: number
  /** How often this session means to renew, at most the lease duration; also how long an offer to it stands before the next candidate gets it. */
  readonly renewIntervalMs: number
}

/**
 * This client's live presence in the store.
 *
 * `campaign`, `withdraw`, `release`, `join` and `leave` carry a number that grows within the session. The store keeps the last
 * one for each lease and each group, and answers a smaller or equal one with `stale` and does nothing: a command that arrives
 * late, or twice, changes nothing. A session that the store does not know (never opened, closed or run out) is answered with
 * `unknown`, always.
 */
export interface Session {
  /** Unique among all sessions of the namespace, for ever. */
  readonly id: string
  /**
   * Creates the session in the store. Nothing else does. Opening a session that was closed, or has ended, is refused by a rejection.
   * Answers the present epoch, so that a restart before the first renewal is noticed, too.
   */
  open(): Promise<OpenAnswer>
  /** Extends the session by its whole lease duration from the store's present time, reaps what has run out (at most 100 leases), and reads the inbox. */
  renew(request: RenewRequest): Promise<RenewAnswer>
  /** Reads the inbox without writing: for stores that cannot push. */
  look(): Promise<LookAnswer>
  /** Takes the lease where it is free, or stands in line for it. A campaign by the present holder is a new grant with a new token. */
  campaign(lease: string, number: number): Promise<CampaignAnswer>
  /** Ends whatever this session has at the lease: a place in line, an offer, or a grant whose answer was lost. */
  withdraw(lease: string, number: number): Promise<WithdrawAnswer>
  /** Frees the lease where this session holds it under this very token, and offers it to the next live candidate. */
  release(lease: string, token: number, number: number): Promise<ReleaseAnswer>
  /** Becomes a member of the group, or changes what this member announces. */
  join(group: string, entry: MemberEntry, number: number): Promise<JoinAnswer>
  /** Stops being a member. The others learn of it by hint and inbox. */
  leave(group: string, number: number): Promise<LeaveAnswer>
  /** The live members of a group, sorted by session id. */
  members(group: string): Promise<MembersAnswer>
  /** Ends the session in the store, with everything that it holds. Works after a failed `open`, too; repeating it does no harm. */
  close(): Promise<void>
}

export interface RenewRequest {
  /**
   * Every command of this session with this number or a smaller one was answered or given up. The store refuses those from now
   * on for all leases alike, and need not remember their leases' numbers any longer. It only ever grows.
   */
  readonly settled: number
  /** The epoch that the last answer to `open` or `renew` named. */
  readonly epoch: number
}

/** Pushed by the store, perhaps twice, late, or never: it only says where to look now. */
export type Hint =
  /** The lease is offered to this session. */
  | { readonly type: 'lease.freed'; readonly lease: string }
  | { readonly type: 'members.changed'; readonly group: string }
  /** The way to the store was lost; nothing is known of the session. */
  | { readonly type: 'disconnected' }
  /** The way to the store is back: hints may have been missed. */
  | { readonly type: 'connected' }
  /** The store itself says that the session is over. */
  | { readonly type: 'session.lost' }
