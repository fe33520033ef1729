/** The records of leases: who holds them, who stands in line for them, and to whom they are offered. */
import type { CampaignAnswer, Grant, Leader, ReleaseAnswer } from '../port.ts'
import { type Call, isLive, type Lifetime } from './call.ts'

interface Holding extends Lifetime {
  readonly holder: string
  readonly node: string
  readonly token: number
}

export function campaign(call: Call, session: string, lease: string): CampaignAnswer {
  const holding = holdingOf(call, lease)
  if (holding !== undefined && holding.holder !== session && isLive(call, holding)) {
    standInLine(call, session, lease)
    return { kind: 'held', holder: holding.node }
  }
  const token = nextToken(call)
  call.sql.run(
    `INSERT INTO leases (namespace, name, holder, token) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
     SET holder = excluded.holder, token = excluded.token, offered = NULL, deadline = NULL`,
    call.namespace,
    lease,
    session,
    token,
  )
  leaveLine(call, session, lease)
  return { kind: 'granted', token }
}

export function release(call: Call, session: string, lease: string, token: number): ReleaseAnswer {
  const holding = holdingOf(call, lease)
  if (holding?.holder !== session || holding.token !== token) return { kind: 'not-held' }
  offerToNext(call, lease)
  return { kind: 'released' }
}

/** Ends whatever the session has at the lease. */
export function withdraw(call: Call, session: string, lease: string): void {
  leaveLine(call, session, lease)
  const has = call.sql.one(
    'SELECT 1 FROM leases WHERE namespace = ? AND name = ? AND (holder = ? OR offered = ?)',
    call.namespace,
    lease,
    session,
    session,
  )
  if (has !== undefined) offerToNext(call, lease)
}

/** Makes a lease free: it is offered to the first live candidate, or forgotten where there is none. Dead candidates leave the line. */
export function offerToNext(call: Call, lease: string): void {
  const { sql, namespace, nowMs } = call
  for (let next = firstInLine(call, lease); next !== undefined; next = firstInLine(call, lease)) {
    if (isLive(call, next)) {
      sql.run(
        'UPDATE leases SET holder = NULL, token = NULL, offered = ?, deadline = ? WHERE namespace = ? AND name = ?',
        next.session,
        nowMs + next.renewMs,
        namespace,
        lease,
      )
      return
    }
    leaveLine(call, next.session, lease)
  }
  sql.run('DELETE FROM leases WHERE namespace = ? AND name = ?', namespace, lease)
}

/** Passes on an offer that was not taken. Whoever let it lie goes to the end of the line. */
export function passOn(call: Call, session: string, lease: string): void {
  leaveLine(call, session, lease)
  standInLine(call, session, lease)
  offerToNext(call, lease)
}

export function offersTo({ sql, namespace }: Call, session: string): readonly string[] {
  return sql
    .all<{ name: string }>('SELECT name FROM leases WHERE namespace = ? AND offered = ?', namespace, session)
    .map(({ name }) => name)
}

export function grantsOf({ sql, namespace }: Call, session: string): readonly Grant[] {
  return sql
    .all<Grant>(
      'SELECT name AS lease, token FROM leases INDEXED BY leases_by_holder WHERE namespace = ? AND holder = ?',
      namespace,
      session,
    )
    .map(({ lease, token }) => ({ lease, token }))
}

export function leaderOf(call: Call, lease: string): Leader | null {
  const holding = holdingOf(call, lease)
  return holding !== undefined && isLive(call, holding) ? { node: holding.node, token: holding.token } : null
}

function holdingOf({ sql, namespace }: Call, lease: string): Holding | undefined {
  return sql.one(
    `SELECT l.holder, l.token, s.node, s.boot, s.expiry
     FROM leases l JOIN sessions s ON s.namespace = l.namespace AND s.id = l.holder
     WHERE l.namespace = ? AND l.name = ?`,
    namespace,
    lease,
  )
}

function firstInLine({ sql, namespace }: Call, lease: string) {
  return sql.one<Lifetime & { session: string; renewMs: number }>(
    `SELECT s.id AS session, s.boot, s.expiry, s.renew_ms AS renewMs
     FROM candidates c JOIN sessions s ON s.namespace = c.namespace AND s.id = c.session
     WHERE c.namespace = ? AND c.lease = ? ORDER BY c.place LIMIT 1`,
    namespace,
    lease,
  )
}

/** At the end; whoever stands in it already keeps the one place. */
function standInLine({ sql, namespace }: Call, session: string, lease: string): void {
  sql.run(
    `INSERT INTO candidates (namespace, lease, place, session)
     SELECT ?, ?, coalesce(max(place), 0) + 1, ? FROM candidates WHERE namespace = ? AND lease = ?
     ON CONFLICT (namespace, session, lease) DO NOTHING`,
    namespace,
    lease,
    session,
    namespace,
    lease,
  )
}

function leaveLine({ sql, namespace }: Call, session: string, lease: string): void {
  sql.run('DELETE FROM candidates WHERE namespace = ? AND session = ? AND lease = ?', namespace, session, lease)
}

function nextToken({ sql, namespace, leastToken }: Call): number {
  const row = sql.one<{ token: number }>(
    'UPDATE namespaces SET token = max(token + 1, ?) WHERE name = ? RETURNING token',
    leastToken,
    namespace,
  )
  // The namespace's row came with its first session, and stays.
  return row!.token
}
