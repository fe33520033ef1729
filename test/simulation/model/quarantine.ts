/** A store that restarted may have forgotten grants: it grants nothing until every one of them must have run out. */
import type { RestartRecord, Store } from './store.ts'

/** A session meets the server by opening, renewing, campaigning and joining, and the restarts since the last such meeting are recorded as one. */
export function meet(store: Store, leaseDurationMs: number): Store {
  const record = recordOf(store, leaseDurationMs)
  // A clock that was set back does not make the quarantine longer.
  const quarantineUntilMs = Math.min(record.quarantineUntilMs, store.nowMs + record.longestLeaseMs)
  return { ...store, restarts: { ...record, quarantineUntilMs } }
}

function recordOf({ restarts: known, server, nowMs }: Store, leaseDurationMs: number): RestartRecord {
  const longestLeaseMs = Math.max(known?.longestLeaseMs ?? 0, leaseDurationMs)
  // Nothing is known of the time before: whoever held a lease lost it a lease duration after this server's start, at the latest.
  const fromStart = { run: server.id, quarantineUntilMs: server.startedAtMs + longestLeaseMs, longestLeaseMs }
  if (known === null) return { ...fromStart, epoch: 1, foundNothing: true }
  // The server is another one than at the last meeting.
  if (known.run !== server.id) {
    const quarantineUntilMs = nowMs + longestLeaseMs
    return { run: server.id, epoch: known.epoch + 1, quarantineUntilMs, longestLeaseMs, foundNothing: false }
  }
  // Somebody with a longer lease may be the second life of a forgotten holder with a longer lease.
  const isLonger = longestLeaseMs > known.longestLeaseMs
  if (isLonger && known.foundNothing && known.quarantineUntilMs > nowMs) return { ...known, ...fromStart }
  return { ...known, longestLeaseMs }
}

export function epochOf(store: Store): number {
  return store.restarts?.epoch ?? 0
}

/** How long nothing is granted yet; 0 where it is over. */
export function quarantineMs(store: Store): number {
  return Math.max(0, (store.restarts?.quarantineUntilMs ?? 0) - store.nowMs)
}
