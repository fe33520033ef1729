/** What the living hold and want, read for an operator. */
import type { Member, Survey } from '../port.ts'
import { ledForMs, surveyOf } from '../survey.ts'
import { type Call, LIVE, liveBy } from './call.ts'
import { type MemberRow, memberOf } from './groups.ts'

export function survey(call: Call, most: number, wallMs: number): Survey {
  const { sql, namespace } = call
  const living = <Row>(from: string, columns: string, order: string) =>
    sql.all<Row>(
      `SELECT ${columns}, s.id AS session, s.node FROM ${from} WHERE s.namespace = ? AND ${LIVE} ORDER BY ${order} LIMIT ?`,
      namespace,
      ...liveBy(call),
      most + 1,
    )
  type Of<Columns> = Columns & { readonly session: string; readonly node: string }
  const holds = living<Of<{ lease: string; token: number }>>(
    'leases l JOIN sessions s ON s.namespace = l.namespace AND s.id = l.holder',
    'l.name AS lease, l.token',
    'l.name',
  )
  const places = living<Of<{ lease: string }>>(
    'candidates c JOIN sessions s ON s.namespace = c.namespace AND s.id = c.session',
    'c.lease',
    'c.lease, c.place',
  )
  const memberships = living<MemberRow & { group: string }>(
    'members m JOIN sessions s ON s.namespace = m.namespace AND s.id = m.session',
    'm.team AS "group", m.partitions, m.resting',
    'm.team, m.session',
  )
  const found = {
    holds: holds.map(({ lease, session, node, token }) => {
      return { lease, holder: { session, node, token, ledForMs: ledForMs(token, wallMs) } }
    }),
    places: places.map(({ lease, session, node }) => ({ lease, contender: { session, node } })),
    memberships: memberships.map((row) => ({ group: row.group, member: memberOf(row) satisfies Member })),
  }
  return surveyOf(found, most)
}
