/** What a group's log has to say about who runs which partition. */
import type { Cluster } from './cluster.ts'
import type { Reign } from './reigns.ts'

export const PARTITIONS = 16
const leases = Array.from({ length: PARTITIONS }, (_, partition) => `g.${partition}`)

/** The terms of all partitions once the present members share them out and nothing is on its way any more. */
export function balanced(nodes: Cluster, members: readonly string[]): Promise<readonly Reign[]> {
  return nodes.until(`${members.join(', ')} share the partitions out`, () => {
    const reigns = leases.map((lease) => nodes.reign(lease))
    const isSettled = members.every((name) => {
      const run = reigns.flatMap((reign, partition) =>
        reign?.node === name && reign.revokedMs === undefined ? [partition] : [],
      )
      return sees(nodes, name, members.length) && `${run}` === `${assignedTo(nodes, name)}`
    })
    const all = reigns.filter((reign) => reign !== undefined && members.includes(reign.node))
    return isSettled && all.length === PARTITIONS ? (all as Reign[]) : undefined
  })
}

function sees(nodes: Cluster, name: string, members: number): boolean {
  const view = nodes.lines.findLast((line) => line.node === name && line.type === 'members.changed')
  return view?.type === 'members.changed' && view.members.length === members
}

function assignedTo(nodes: Cluster, name: string): readonly number[] {
  const change = nodes.lines.findLast((line) => line.node === name && line.type === 'assignment.changed')
  return change?.type === 'assignment.changed' ? [...change.partitions].sort((a, b) => a - b) : []
}

/** Those that went on from one balance to the next without a new term. */
export function untouched(before: readonly Reign[], after: readonly Reign[]): readonly Reign[] {
  return before.filter((reign) => after.includes(reign))
}
