/** What happens, as plain data: for listeners, logs and the inspector. One union; `type` says which. */
import type { Outcome, SessionLossReason, TermEndReason } from './endings.ts'
import type { PlainError } from './errors.ts'

interface OfTerm {
  readonly lease: string
  readonly token: number
  /** Where the lease is a partition's. */
  readonly partition?: number
}

export type SimbaEvent =
  | { readonly type: 'session.opened'; readonly session: string }
  /** A renewal failed. Terms go on until the session's deadline. */
  | {
      readonly type: 'session.suspended'
      readonly session: string
      readonly error: PlainError
      readonly remainingMs: number
    }
  /** A renewal was confirmed again. */
  | { readonly type: 'session.resumed'; readonly session: string }
  | { readonly type: 'session.lost'; readonly session: string; readonly reason: SessionLossReason }
  | { readonly type: 'session.closed'; readonly session: string | null }
  | ({ readonly type: 'term.started' } & OfTerm)
  | ({ readonly type: 'term.revoked'; readonly reason: TermEndReason; readonly remainingMs: number } & OfTerm)
  | ({ readonly type: 'term.ended'; readonly reason: TermEndReason } & OfTerm)
  | ({ readonly type: 'work.started'; readonly run: number } & OfTerm)
  | ({
      readonly type: 'work.completed'
      readonly run: number
      readonly outcome: Outcome
      readonly durationMs: number
      readonly error?: PlainError
    } & OfTerm)
  /** The starts of a fixed rate that fell out since the last run. */
  | ({ readonly type: 'schedule.skipped'; readonly starts: number } & OfTerm)
  | ({ readonly type: 'handover.started'; readonly reason: TermEndReason } & OfTerm)
  /** From the interrupt to the exit of the work, and from there to the confirmed release. */
  | ({
      readonly type: 'handover.completed'
      /** The store has confirmed the release. Otherwise the lease has gone with its session. */
      readonly confirmed: boolean
      readonly workMs: number
      readonly releaseMs: number
    } & OfTerm)
  /** The election stays away from its lease for this long. */
  | { readonly type: 'election.stepped-down'; readonly lease: string; readonly restMs: number }
  | {
      readonly type: 'members.changed'
      readonly group: string
      readonly version: number
      readonly members: readonly string[]
    }
  | {
      readonly type: 'assignment.changed'
      readonly group: string
      readonly partitions: readonly number[]
      readonly gained: readonly number[]
      readonly lost: readonly number[]
    }
  /** This client's group has another number of partitions than the members that live; it waits for them to go. */
  | {
      readonly type: 'group.mismatched'
      readonly group: string
      readonly partitions: number
      readonly living: number
      /** `PARTITIONS_MISMATCH` */
      readonly error: PlainError
    }
  | { readonly type: 'backend.failing'; readonly error: PlainError }
  | { readonly type: 'backend.recovered'; readonly failedForMs: number }
