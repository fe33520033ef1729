/**
 * The facts that a store keeps. This folder is the specification of every store, written to be read: lists of facts, and rules that
 * make new lists from them, with no thought of speed. It leaves out that a call reaps no more than a hundred leases.
 */
import type { Hint, MemberEntry, SessionOptions } from '../../../src/backends/port.ts'

export interface Store {
  /** The store's own time: sessions and offers run out by it. It should not go back, but it may. */
  readonly nowMs: number
  /** Milliseconds since 1970, for tokens alone. */
  readonly wallMs: number
  readonly server: ServerRun
  readonly restarts: RestartRecord | null
  readonly sessions: readonly SessionFact[]
  /** The last number of each lease and each group within a session. */
  readonly numbers: readonly LastNumber[]
  readonly holds: readonly Hold[]
  /** The lines of all leases, in one order of arrival. */
  readonly places: readonly Place[]
  readonly offers: readonly Offer[]
  readonly memberships: readonly Membership[]
  readonly versions: readonly GroupVersion[]
  readonly lastToken: number
  readonly lastVersion: number
  /** Every id that was ever opened or closed. The clients remember this themselves, so that it outlives the store's memory. */
  readonly spentIds: readonly string[]
  /** What the store has to push to its sessions on account of the last command. */
  readonly pushes: readonly Push[]
}

/** One life of the server process. */
export interface ServerRun {
  readonly id: number
  /** -Infinity where nothing can have been forgotten by the time that this run began. */
  readonly startedAtMs: number
}

/** What a namespace has recorded of the server's restarts. */
export interface RestartRecord {
  readonly run: number
  readonly epoch: number
  /** Nothing is granted before this. */
  readonly quarantineUntilMs: number
  /** The quarantine began because no record was found: then the start of the server counts, not the moment of the finding. */
  readonly foundNothing: boolean
  readonly longestLeaseMs: number
}

export interface SessionFact extends SessionOptions {
  readonly session: string
  readonly expiresAtMs: number
  /** Commands with this number or a smaller one are stale, whatever they are about. */
  readonly settled: number
}

export interface LastNumber {
  readonly session: string
  readonly subject: Subject
  readonly number: number
}

/** What a numbered command is about: a lease and a group of the same name are two things. */
export type Subject = `lease ${string}` | `group ${string}`

export interface Hold {
  readonly lease: string
  readonly session: string
  readonly token: number
}

export interface Place {
  readonly lease: string
  readonly session: string
}

export interface Offer {
  readonly lease: string
  readonly session: string
  readonly endsAtMs: number
}

export interface Membership {
  readonly group: string
  readonly session: string
  readonly entry: MemberEntry
}

export interface GroupVersion {
  readonly group: string
  readonly version: number
}

export interface Push {
  readonly session: string
  readonly hint: Hint
}

/** A store that nobody has used yet. */
export const emptyStore: Store = {
  nowMs: 0,
  wallMs: 0,
  server: { id: 1, startedAtMs: Number.NEGATIVE_INFINITY },
  restarts: null,
  sessions: [],
  numbers: [],
  holds: [],
  places: [],
  offers: [],
  memberships: [],
  versions: [],
  lastToken: 0,
  lastVersion: 0,
  spentIds: [],
  pushes: [],
}

/** Time passes, or the store's clock is set back. */
export function pass(store: Store, ms: number): Store {
  return { ...store, nowMs: store.nowMs + ms, wallMs: store.wallMs + ms }
}

/** The server restarts, with its facts or without them. */
export function restart(store: Store, data: 'kept' | 'lost'): Store {
  const server = { id: store.server.id + 1, startedAtMs: store.nowMs }
  if (data === 'kept') return { ...store, server }
  const { nowMs, wallMs, spentIds } = store
  return { ...emptyStore, nowMs, wallMs, spentIds, server }
}

export function push(store: Store, session: string, hint: Hint): Store {
  return { ...store, pushes: [...store.pushes, { session, hint }] }
}
