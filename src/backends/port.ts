/**
 * What a store must offer to carry leases. Sessions hold leases; each method is one atomic call, without retries, timers or
 * caches inside. A call that rejects has an unknown outcome: the store may have applied it, or may yet apply it.
 */
import type { Clock } from '../model/clock.ts'
import type { Logger } from '../model/logger.ts'

/** A store, not yet connected. Made by `memory()`, `sqlite(path)`, `redis(url)` or by your own function. */
export interface Backend {
  /** For logs and errors, without secrets: `memory`, `sqlite`, `redis`. */
  readonly name: string
  /**
   * How often to `look()` where the store cannot push hints, in milliseconds. Left out where it can.
   * Without pushes, this bounds how long a clean handover takes.
   */
  readonly pollIntervalMs?: number
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
  /** Lets go of sockets, files and listeners. Sessions that are still open are left to run out. */
  close(): Promise<void>
}

export interface SessionOptions {
  /** The public name that others see as the holder. */
  readonly node: string
  /** For how long the store keeps a session after its opening or its last renewal. */
  readonly leaseDurationMs: number
  /** How often this session means to renew; also how long an offer to it stands before the next candidate gets it. */
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
  /** Creates the session in the store. Nothing else does. Opening a session that was closed, or has ended, is refused by a rejection. */
  open(): Promise<void>
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
  /** The epoch of the last answer; 0 before the first one. */
  readonly epoch: number
}

/** What waits for a session in the store. Read, not taken: it is there again in the next answer until it is dealt with. */
export interface Inbox {
  /** Leases that are offered to this session. An offer ends when it is taken by a campaign, withdrawn, or has gone to the next candidate. */
  readonly freed: readonly string[]
  /** The groups that this session has joined, each with its version. A version grows with each change of the group's members or of what they announce. */
  readonly groups: Readonly<Record<string, number>>
}

export type RenewAnswer =
  | {
      readonly kind: 'renewed'
      readonly inbox: Inbox
      /** When the next other session, or an offer, could run out; 0 where there is more to reap right now; `null` where there is none. */
      readonly nextExpiryInMs: number | null
      /** Counts the restarts of the store that this namespace has seen. A store that keeps its memory for certain stays at 1. */
      readonly epoch: number
      /**
       * Given where the epoch of the request is not the present one (not for 0): the store may have forgotten some of the last grants,
       * releases and joins, and this is what it still has in this session's name.
       */
      readonly holds?: readonly Grant[]
    }
  | { readonly kind: 'unknown' }

export interface Grant {
  readonly lease: string
  readonly token: number
}

export type LookAnswer = { readonly kind: 'inbox'; readonly inbox: Inbox } | { readonly kind: 'unknown' }

export type CampaignAnswer =
  /** `token` is greater than every earlier one in the namespace, and a safe integer. */
  | { readonly kind: 'granted'; readonly token: number }
  /** The session is now a candidate, behind those who came before it. `holder` is the public name. */
  | { readonly kind: 'held'; readonly holder: string }
  /** The store has restarted and may have forgotten grants; nothing is granted for this long. The session is now a candidate. */
  | { readonly kind: 'quarantined'; readonly retryInMs: number }
  | { readonly kind: 'stale' }
  | { readonly kind: 'unknown' }

export type WithdrawAnswer = { readonly kind: 'withdrawn' } | { readonly kind: 'stale' } | { readonly kind: 'unknown' }

export type ReleaseAnswer =
  | { readonly kind: 'released' }
  /** This session does not hold the lease under this token. */
  | { readonly kind: 'not-held' }
  | { readonly kind: 'stale' }
  | { readonly kind: 'unknown' }

/** What a member announces. */
export interface MemberEntry {
  readonly partitions: number
  /** Partitions that this member stays away from for the time being. */
  readonly resting: readonly number[]
}

export type JoinAnswer =
  | { readonly kind: 'joined' }
  /** The group's other live members have this other number of partitions. Nothing was changed, but that this session is no member. */
  | { readonly kind: 'mismatch'; readonly partitions: number }
  | { readonly kind: 'stale' }
  | { readonly kind: 'unknown' }

export type LeaveAnswer = { readonly kind: 'left' } | { readonly kind: 'stale' } | { readonly kind: 'unknown' }

export interface Member extends MemberEntry {
  readonly session: string
  readonly node: string
}

export type MembersAnswer =
  | { readonly kind: 'members'; readonly version: number; readonly members: readonly Member[] }
  | { readonly kind: 'unknown' }

export interface Leader {
  readonly node: string
  readonly token: number
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
