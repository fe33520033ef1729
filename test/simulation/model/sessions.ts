/** How sessions begin and live on. */
import type { SessionOptions } from '../../../src/backends/port.ts'
import type { SessionFact, Store } from './store.ts'

export function sessionOf(store: Store, session: string): SessionFact | undefined {
  return store.sessions.find((fact) => fact.session === session)
}

/** A session lives while it has time left. One that has run out counts as unknown, whether or not it was reaped yet. */
export function isLive(store: Store, session: string): boolean {
  const fact = sessionOf(store, session)
  return fact !== undefined && fact.expiresAtMs > store.nowMs
}

/** An id is good for one session, for ever. */
export function begin(store: Store, session: string, options: SessionOptions): Store {
  const fact: SessionFact = { ...options, session, expiresAtMs: store.nowMs + options.leaseDurationMs, settled: 0 }
  return { ...store, sessions: [...store.sessions, fact], spentIds: [...store.spentIds, session] }
}

/** Opening and renewing, and nothing else, give the session its whole lease duration from now on. */
export function extend(store: Store, session: string): Store {
  return changeSessions(store, (fact) =>
    fact.session === session ? { ...fact, expiresAtMs: store.nowMs + fact.leaseDurationMs } : fact,
  )
}

export function changeSessions(store: Store, change: (fact: SessionFact) => SessionFact): Store {
  return { ...store, sessions: store.sessions.map(change) }
}
