/** What a store answers, as plain data: the port returns it, and the machines decide on it. */

export interface OpenAnswer {
  /** See the answer to `renew`. */
  readonly epoch: number
  /** See the answer to `renew`. */
  readonly provenMsAgo?: number
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
       * The store keeps the session for its lease duration from this long before the request was sent; left out where it counts from
       * the request. Of a store whose answer proves an earlier contact only.
       */
      readonly provenMsAgo?: number
      /**
       * Given where the epoch of the request is not the present one: the store may have forgotten some of the last grants,
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
