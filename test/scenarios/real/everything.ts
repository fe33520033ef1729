/** A few of everything that a cluster of nodes can lead, for scenarios in which it does not matter what. */
import type { Cluster } from './cluster.ts'
import { balanced, leasesOf } from './groups.ts'
import type { Reign } from './reigns.ts'

const ELECTIONS = ['u', 'v', 'w', 'x']
const PARTITIONS = 4
export const LEASES = [...ELECTIONS, ...leasesOf(PARTITIONS)]
export const EVERYTHING = { elections: ELECTIONS, groups: { g: PARTITIONS } }

/** The terms of everything, with nothing on its way from one node to another. */
export async function settled(nodes: Cluster): Promise<readonly Reign[]> {
  const partitions = await balanced(nodes, PARTITIONS, nodes.names)
  return [...(await nodes.allLed(ELECTIONS)), ...partitions]
}

export function startsBetween(nodes: Cluster, fromMs: number, toMs: number): readonly Reign[] {
  return nodes.reigns.filter(({ startedMs }) => startedMs > fromMs && startedMs < toMs)
}
