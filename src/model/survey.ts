/**
 * A namespace as its operator sees it: who holds what, and who wants it. Old news when it arrives, and not of one instant with every
 * store: for people and for logs, never for a decision.
 */
import type { Member } from './answers.ts'

export interface Survey {
  /** The leases that somebody alive holds or waits for, by name. */
  readonly leases: readonly SurveyedLease[]
  /** The groups that have members alive, by name. */
  readonly groups: readonly SurveyedGroup[]
  /** False where there was more than was asked for, and some of it is left out. */
  readonly isWhole: boolean
}

export interface SurveyedLease {
  readonly lease: string
  readonly holder: SurveyedHolder | null
  /** Who would be offered the lease, in this order. */
  readonly waiting: readonly Contender[]
}

export interface Contender {
  readonly session: string
  /** The public name. */
  readonly node: string
}

export interface SurveyedHolder extends Contender {
  readonly token: number
  /** By the store's wall clock, perhaps only up to the holder's last renewal; `null` where the store cannot tell. */
  readonly ledForMs: number | null
}

export interface SurveyedGroup {
  readonly group: string
  /** Sorted by session. */
  readonly members: readonly Member[]
}
