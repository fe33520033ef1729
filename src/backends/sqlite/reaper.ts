/** Ends what has run out: sessions with all that they have, and offers that nobody took. A bounded part of it with each renewal. */
import type { Call } from './call.ts'
import { leave } from './groups.ts'
import { offerToNext, passOn, withdraw } from './leases.ts'
import { endSession, forgetSession } from './sessions.ts'

/** The most leases, places in line and memberships that one call frees. A session with more is dead meanwhile. */
const REAP_LIMIT = 100

/** Reaps, and tells when there is more to reap: in 0 ms where there is right now, `null` where nothing else lives. */
export function reap(call: Call, self: string): number | null {
  const strangersEnd = watchStrangers(call)
  cutExpiries(call)
  let budget = REAP_LIMIT
  for (const session of runOutSessions(call)) budget = clearSession(call, session, budget)
  for (const { session, lease } of runOutOffers(call, budget)) passOn(call, session, lease)
  const ends = [
    strangersEnd,
    nextSessionEnd(call, '', self),
    nextSessionEnd(call, call.boot, self),
    nextOfferEnd(call),
  ].filter((end) => end !== null)
  return ends.length === 0 ? null : Math.max(0, Math.min(...ends) - call.nowMs)
}

/** Ends the session at once. What is too much for one call is left to the reapers. */
export function closeSession(call: Call, session: string): void {
  endSession(call, session)
  clearSession(call, session, REAP_LIMIT)
}

/** Frees what a dead session has, and returns what is left of the budget. */
function clearSession(call: Call, session: string, budget: number): number {
  const { sql, namespace } = call
  let left = budget
  const take = (query: string, free: (name: string) => void) => {
    const rows = sql.all<{ name: string }>(`${query} LIMIT ?`, namespace, session, left)
    left -= rows.length
    for (const { name } of rows) free(name)
  }
  take('SELECT name FROM leases WHERE namespace = ? AND holder = ?', (lease) => offerToNext(call, lease))
  take('SELECT lease AS name FROM candidates WHERE namespace = ? AND session = ?', (lease) =>
    withdraw(call, session, lease),
  )
  take('SELECT team AS name FROM members WHERE namespace = ? AND session = ?', (group) => leave(call, session, group))
  if (left > 0) forgetSession(call, session)
  return left
}

/** Those that were ended first, then the oldest of this boot. */
function runOutSessions({ sql, namespace, boot, nowMs }: Call): readonly string[] {
  const of = (anyBoot: string) =>
    sql.all<{ id: string }>(
      `SELECT id FROM sessions WHERE namespace = ? AND boot = ? AND expiry <= ? ORDER BY expiry LIMIT ${REAP_LIMIT}`,
      namespace,
      anyBoot,
      nowMs,
    )
  return [...of(''), ...of(boot)].map(({ id }) => id)
}

function runOutOffers({ sql, namespace, nowMs }: Call, limit: number) {
  return sql.all<{ lease: string; session: string }>(
    `SELECT name AS lease, offered AS session FROM leases
     WHERE namespace = ? AND deadline <= ? ORDER BY deadline LIMIT ?`,
    namespace,
    nowMs,
    limit,
  )
}

function nextSessionEnd({ sql, namespace }: Call, boot: string, self: string): number | null {
  const row = sql.one<{ expiry: number }>(
    'SELECT expiry FROM sessions WHERE namespace = ? AND boot = ? AND id <> ? ORDER BY expiry LIMIT 1',
    namespace,
    boot,
    self,
  )
  return row?.expiry ?? null
}

function nextOfferEnd({ sql, namespace }: Call): number | null {
  const row = sql.one<{ deadline: number }>(
    'SELECT deadline FROM leases WHERE namespace = ? AND deadline IS NOT NULL ORDER BY deadline LIMIT 1',
    namespace,
  )
  return row?.deadline ?? null
}

/** A clock that was set back (a virtual machine that was restored beside its disk) must not pin the dead. */
function cutExpiries({ sql, namespace, boot, nowMs }: Call): void {
  sql.run(
    'UPDATE sessions SET expiry = ? + lease_ms WHERE namespace = ? AND boot = ? AND expiry - lease_ms > ?',
    nowMs,
    namespace,
    boot,
    nowMs,
  )
}

/**
 * Sessions of another boot: from before this machine's last start, or of a machine that shares the file. Their expiry says nothing
 * here. One that was not renewed for its whole lease duration, as seen by this boot's processes together, is over; what they saw is in
 * the file, so that it does not matter how long each of them lives. Tells when the first of them could be over.
 */
function watchStrangers(call: Call): number | null {
  const { sql, namespace, boot, nowMs } = call
  let firstEnd: number | null = null
  const at = (where: string, ...bounds: readonly string[]) =>
    sql.all<{ id: string; leaseMs: number; beat: number; seen: number | null; since: number | null }>(
      `SELECT s.id, s.lease_ms AS leaseMs, s.beat, w.beat AS seen, w.since
       FROM sessions s LEFT JOIN witnesses w ON w.namespace = s.namespace AND w.session = s.id AND w.boot = ?
       WHERE s.namespace = ? AND ${where}`,
      boot,
      namespace,
      ...bounds,
    )
  const strangers = [...at(`s.boot > '' AND s.boot < ?`, boot), ...at('s.boot > ?', boot)]
  for (const { id, leaseMs, beat, seen, since } of strangers) {
    const isAsSeen = seen === beat && since !== null && since <= nowMs
    if (isAsSeen && since + leaseMs <= nowMs) {
      endSession(call, id)
      continue
    }
    if (!isAsSeen) {
      sql.run(
        `INSERT INTO witnesses (namespace, session, boot, beat, since) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET beat = excluded.beat, since = excluded.since`,
        namespace,
        id,
        boot,
        beat,
        nowMs,
      )
    }
    const end = (isAsSeen ? since : nowMs) + leaseMs
    firstEnd = firstEnd === null ? end : Math.min(firstEnd, end)
  }
  return firstEnd
}
