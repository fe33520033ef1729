/** The records of groups: their members, what these announce, and a version that grows with each change. */
import type { JoinAnswer, Member, MemberEntry } from '../port.ts'
import { type Call, isLive, type Lifetime } from './call.ts'

export interface MemberRow {
  readonly session: string
  readonly node: string
  readonly partitions: number
  readonly resting: string
}

interface Row extends MemberRow, Lifetime {}

export function join(call: Call, session: string, group: string, entry: MemberEntry): JoinAnswer {
  const rows = rowsOf(call, group)
  const others = rows.filter((row) => row.session !== session && isLive(call, row))
  const disagreeing = others.find((row) => row.partitions !== entry.partitions)
  if (disagreeing !== undefined) {
    leave(call, session, group)
    return { kind: 'mismatch', partitions: disagreeing.partitions }
  }
  const resting = JSON.stringify(entry.resting)
  const before = rows.find((row) => row.session === session)
  if (before?.partitions === entry.partitions && before.resting === resting) return { kind: 'joined' }
  call.sql.run(
    `INSERT INTO members (namespace, team, session, partitions, resting) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET partitions = excluded.partitions, resting = excluded.resting`,
    call.namespace,
    group,
    session,
    entry.partitions,
    resting,
  )
  touch(call, group)
  return { kind: 'joined' }
}

/** Does nothing where the session is no member. */
export function leave(call: Call, session: string, group: string): void {
  const { sql, namespace } = call
  const left = sql.one(
    'DELETE FROM members WHERE namespace = ? AND team = ? AND session = ? RETURNING session',
    namespace,
    group,
    session,
  )
  if (left === undefined) return
  const remaining = sql.one('SELECT 1 FROM members WHERE namespace = ? AND team = ? LIMIT 1', namespace, group)
  if (remaining !== undefined) touch(call, group)
  else sql.run('DELETE FROM teams WHERE namespace = ? AND name = ?', namespace, group)
}

export function membersOf(
  call: Call,
  group: string,
): { readonly version: number; readonly members: readonly Member[] } {
  const members = rowsOf(call, group)
    .filter((row) => isLive(call, row))
    .map(memberOf)
  return { version: versionOf(call, group), members }
}

/** The groups that the session has joined, each with its version. */
export function groupsOf({ sql, namespace }: Call, session: string): Readonly<Record<string, number>> {
  const rows = sql.all<{ name: string; version: number }>(
    `SELECT t.name, t.version FROM members m JOIN teams t ON t.namespace = m.namespace AND t.name = m.team
     WHERE m.namespace = ? AND m.session = ?`,
    namespace,
    session,
  )
  return Object.fromEntries(rows.map(({ name, version }) => [name, version]))
}

export function memberOf({ session, node, partitions, resting }: MemberRow): Member {
  return { session, node, partitions, resting: JSON.parse(resting) as number[] }
}

function rowsOf({ sql, namespace }: Call, group: string): readonly Row[] {
  return sql.all(
    `SELECT m.session, s.node, m.partitions, m.resting, s.boot, s.expiry
     FROM members m JOIN sessions s ON s.namespace = m.namespace AND s.id = m.session
     WHERE m.namespace = ? AND m.team = ? ORDER BY m.session`,
    namespace,
    group,
  )
}

/** One counter for the namespace: a group that begins again after its last member has gone never goes back. */
function touch({ sql, namespace }: Call, group: string): void {
  sql.run('UPDATE namespaces SET version = version + 1 WHERE name = ?', namespace)
  sql.run(
    `INSERT INTO teams SELECT name, ?, version FROM namespaces WHERE name = ?
     ON CONFLICT DO UPDATE SET version = excluded.version`,
    group,
    namespace,
  )
}

/** A group without members has the version that is before any to come. */
function versionOf({ sql, namespace }: Call, group: string): number {
  const row = sql.one<{ version: number }>(
    `SELECT coalesce(t.version, n.version) AS version
     FROM namespaces n LEFT JOIN teams t ON t.namespace = n.name AND t.name = ? WHERE n.name = ?`,
    group,
    namespace,
  )
  return row?.version ?? 0
}
