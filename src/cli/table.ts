/** An overview for people. */
import type { GroupOverview, Overview } from './overview.ts'
import { rangesOf } from './ranges.ts'

export function tableOf({ store, namespace, leases, groups, isWhole }: Overview): string {
  const parts = [`store ${store}, namespace ${namespace}`]
  if (leases.length + groups.length === 0) parts.push('Nobody holds or wants anything.')
  if (leases.length > 0) {
    const rows = leases.map(({ lease, holder, waiting }) => [
      lease,
      holder?.node ?? '(nobody)',
      holder ? `${holder.token}` : '-',
      holder?.ledForMs == null ? '-' : lengthOf(holder.ledForMs),
      waiting.length === 0 ? '-' : waiting.map(({ node }) => node).join(', '),
    ])
    parts.push(aligned([['LEASE', 'HOLDER', 'TOKEN', 'FOR', 'WAITING'], ...rows]))
  }
  parts.push(...groups.map(groupTable))
  if (!isWhole) parts.push('There is more than this: only a part is shown.')
  return `${parts.join('\n\n')}\n`
}

function groupTable({ group, partitions, members, unled, leases }: GroupOverview): string {
  const rows = members.map((member) => {
    const longest = leases
      .filter(({ holder }) => holder?.session === member.session)
      .map(({ holder }) => holder?.ledForMs ?? 0)
      .reduce((one, other) => Math.max(one, other), 0)
    return [
      member.node,
      member.partitions.length === 0 ? '-' : rangesOf(member.partitions),
      member.partitions.length === 0 ? '-' : lengthOf(longest),
      member.resting.length === 0 ? '-' : rangesOf(member.resting),
    ]
  })
  if (unled.length > 0) rows.push(['(nobody)', rangesOf(unled), '-', '-'])
  const title = `group ${group}: ${partitions} partitions, ${members.length} ${members.length === 1 ? 'member' : 'members'}`
  return `${title}\n${aligned([['MEMBER', 'PARTITIONS', 'FOR', 'RESTING'], ...rows])}`
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const

/** In its two largest units. */
function lengthOf(ms: number): string {
  const first = UNITS.findIndex(([, unitMs]) => ms >= unitMs)
  if (first < 0) return '0s'
  let rest = ms
  return UNITS.slice(first, first + 2)
    .map(([name, unitMs]) => {
      const count = Math.floor(rest / unitMs)
      rest -= count * unitMs
      return count === 0 ? '' : `${count}${name}`
    })
    .filter((part) => part !== '')
    .join(' ')
}
