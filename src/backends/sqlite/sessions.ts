/** The records of sessions: how they begin, live on, and remember the numbers of their commands. */
import type { SessionOptions } from '../port.ts'
import { type Call, isLive, type Lifetime } from './call.ts'

/**
 * Begins the session, or goes on with it where an earlier attempt has begun it. False where it has run out, or is gone and may not
 * begin any more.
 */
export function openSession(call: Call, session: string, options: SessionOptions, mayBegin: boolean): boolean {
  const { sql, namespace, boot, nowMs } = call
  if (!isOpen(call, session) && (!mayBegin || lifetimeOf(call, session) !== undefined)) return false
  sql.run('INSERT INTO namespaces VALUES (?, 0, 0) ON CONFLICT DO NOTHING', namespace)
  sql.run(
    `INSERT INTO sessions (namespace, id, node, lease_ms, renew_ms, boot, expiry, beat, settled)
     VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0)
     ON CONFLICT DO UPDATE SET expiry = excluded.expiry, beat = beat + 1`,
    namespace,
    session,
    options.node,
    options.leaseDurationMs,
    options.renewIntervalMs,
    boot,
    nowMs + options.leaseDurationMs,
  )
  return true
}

/** The session has its whole lease duration again, and need not remember the numbers that are settled. */
export function extendSession(call: Call, session: string, settled: number): void {
  const { sql, namespace, nowMs } = call
  sql.run(
    `UPDATE sessions SET expiry = ? + lease_ms, beat = beat + 1, settled = max(settled, ?) WHERE namespace = ? AND id = ?`,
    nowMs,
    settled,
    namespace,
    session,
  )
  sql.run('DELETE FROM numbers WHERE namespace = ? AND session = ? AND number <= ?', namespace, session, settled)
}

/** Run out by every clock. What it has is still to be freed. */
export function endSession({ sql, namespace }: Call, session: string): void {
  sql.run(`UPDATE sessions SET boot = '', expiry = 0 WHERE namespace = ? AND id = ?`, namespace, session)
}

/** Only when nothing is left of it anywhere else. */
export function forgetSession({ sql, namespace }: Call, session: string): void {
  for (const table of ['numbers', 'witnesses']) {
    sql.run(`DELETE FROM ${table} WHERE namespace = ? AND session = ?`, namespace, session)
  }
  sql.run('DELETE FROM sessions WHERE namespace = ? AND id = ?', namespace, session)
}

export function isOpen(call: Call, session: string): boolean {
  const found = lifetimeOf(call, session)
  return found !== undefined && isLive(call, found)
}

function lifetimeOf({ sql, namespace }: Call, session: string): Lifetime | undefined {
  return sql.one('SELECT boot, expiry FROM sessions WHERE namespace = ? AND id = ?', namespace, session)
}

/** Remembers the number of a command, or tells why the command may not be carried out. */
export function admit(
  call: Call,
  session: string,
  kind: 'lease' | 'group',
  name: string,
  number: number,
): 'admitted' | 'stale' | 'unknown' {
  const { sql, namespace } = call
  const found = sql.one<Lifetime & { settled: number; last: number | null }>(
    `SELECT boot, expiry, settled, (
       SELECT number FROM numbers n WHERE n.namespace = s.namespace AND n.session = s.id AND n.kind = ? AND n.name = ?
     ) AS last FROM sessions s WHERE namespace = ? AND id = ?`,
    kind,
    name,
    namespace,
    session,
  )
  if (found === undefined || !isLive(call, found)) return 'unknown'
  if (number <= Math.max(found.settled, found.last ?? 0)) return 'stale'
  sql.run(
    'INSERT INTO numbers VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET number = excluded.number',
    namespace,
    session,
    kind,
    name,
    number,
  )
  return 'admitted'
}
