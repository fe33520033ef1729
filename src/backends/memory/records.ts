/** What the memory store keeps of sessions, leases and groups. Sets and maps are in order of arrival, and their order matters. */
import type { MemberEntry, SessionOptions } from '../port.ts'
import { Numbers } from './numbers.ts'

export interface SessionRecord {
  readonly id: string
  readonly options: SessionOptions
  readonly numbers: Numbers
  /** Live for a lease duration from here. Never live again at -Infinity. */
  renewedAtMs: number
  readonly held: Set<LeaseRecord>
  /** Leases in whose lines it stands. */
  readonly candidacies: Set<LeaseRecord>
  /** Leases that are offered to it, and since when. */
  readonly offers: Map<LeaseRecord, number>
  readonly groups: Set<GroupRecord>
}

/** Exists while somebody holds or wants the lease. */
export interface LeaseRecord {
  readonly name: string
  holder: SessionRecord | null
  /** Of the last grant. */
  token: number
  /** Candidates, the one that was offered the lease included. */
  readonly line: Set<SessionRecord>
  offeredTo: SessionRecord | null
}

/** Exists while it has members. */
export interface GroupRecord {
  readonly name: string
  version: number
  readonly members: Map<SessionRecord, MemberEntry>
}

export function newSessionRecord(id: string, options: SessionOptions, nowMs: number): SessionRecord {
  return {
    id,
    options,
    numbers: new Numbers(),
    renewedAtMs: nowMs,
    held: new Set(),
    candidacies: new Set(),
    offers: new Map(),
    groups: new Set(),
  }
}

export function expiryOf(session: SessionRecord): number {
  return session.renewedAtMs + session.options.leaseDurationMs
}

export function isLive(session: SessionRecord, nowMs: number): boolean {
  return expiryOf(session) > nowMs
}
