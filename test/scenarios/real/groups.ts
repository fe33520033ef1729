/** What the log has to say about who runs which partition of a group named `g`. */
import type { Cluster } from './cluster.ts'
import type { Reign } from './reigns.ts'

export function leasesOf(partitions: number): readonly string[] {
  return Array.from({ length: partitions }, (_, partition) => `g.${partition}`)
}

/** The terms of all partitions, once these members share them out and nothing is on its way from one to another any more. */
export function balanced(nodes: Cluster, partitions: number, members: readonly string[]): Promise<readonly Reign[]> {
  return nodes.until(`${members} share ${partitions} partitions out`, () => {
    if (!members.every((name) => seen(nodes, name) === members.length)) return undefined
    const assigned = members.flatMap((name) => assignedTo(nodes, name).map((partition) => `g.${partition} ${name}`))
    const reigns = leasesOf(partitions).flatMap((lease) => nodes.reign(lease) ?? [])
    const run = reigns.filter(({ revokedMs }) => revokedMs === undefined).map(({ lease, node }) => `${lease} ${node}`)
    // The logs of two nodes may be at different views: then a partition is assigned twice, or not at all.
    return run.length === partitions && `${assigned.sort()}` === `${run.sort()}` ? reigns : undefined
  })
}

/** How many members there are in a node's latest view. */
function seen(nodes: Cluster, name: string): number {
  const view = nodes.lines.findLast((line) => line.node === name && line.type === 'members.changed')
  return view?.type === 'members.changed' ? view.members.length : 0
}

function assignedTo(nodes: Cluster, name: string): readonly number[] {
  const change = nodes.lines.findLast((line) => line.node === name && line.type === 'assignment.changed')
  return change?.type === 'assignment.changed' ? change.partitions : []
}

/** Those that went on from one balance to the next without a new term. */
export function untouched(before: readonly Reign[], after: readonly Reign[]): readonly Reign[] {
  return before.filter((reign) => after.includes(reign))
}
