/** How work, terms and sessions end. */

/**
 * How work ended: by itself, by an error, by an error after its term had ended, or not at all: `ABANDONED` work ignored the
 * interrupt until its term was out of time, and may still be running.
 */
export type Outcome = 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'ABANDONED'

/** Why a term was told to end, or why it is over. */
export type TermEndReason =
  /** The task or the client was stopped, or the partition has moved to another member. */
  | 'stopped'
  | 'moved'
  /** Somebody sent `STEP_DOWN`. */
  | 'stepped-down'
  /** The work failed in a way that `isFatal` accepts. */
  | 'fatal-work'
  /** The store said that the session is over. */
  | 'session-lost'
  /** No renewal was confirmed in time. */
  | 'expired'
  /** The store restarted, and has forgotten this grant. */
  | 'forgotten'
  /** A machine itself failed: a defect of this library. */
  | 'crashed'

export type SessionLossReason = Extract<TermEndReason, 'session-lost' | 'expired'>
