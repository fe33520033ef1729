/** Who runs which partition of a group named `g`, by the log; and who should, by the rules of the assignment. */
import { assign } from '../../../src/model/assignment/assignment.ts'
import type { Cluster } from './cluster.ts'
import type { Reign } from './reigns.ts'

const GROUP = 'g'

export function leasesOf(partitions: number): readonly string[] {
  return Array.from({ length: partitions }, (_, partition) => `${GROUP}.${partition}`)
}

/** The terms of all partitions, once each is led by the one of these members that it belongs to. */
export function balanced(nodes: Cluster, partitions: number, members: readonly string[]): Promise<readonly Reign[]> {
  return nodes.until(`${members} share ${partitions} partitions out`, () => balance(nodes, partitions, members))
}

/** Likewise, if that is so now. */
export function balance(nodes: Cluster, partitions: number, members: readonly string[]): readonly Reign[] | undefined {
  const sessions = members.map((name) => ({ session: sessionOf(nodes, name), resting: [] }))
  const owners = assign({ group: GROUP, partitions }, sessions)
  const reigns = leasesOf(partitions).flatMap((lease) => nodes.reign(lease) ?? [])
  const isEachAtHome = reigns.every(({ session, revokedMs }, p) => session === owners[p] && revokedMs === undefined)
  return reigns.length === partitions && isEachAtHome ? reigns : undefined
}

export function sessionOf(nodes: Cluster, name: string): string {
  const opening = nodes.lines.findLast((line) => line.node === name && line.type === 'session.opened')
  return opening?.type === 'session.opened' ? opening.session : name
}

/** Those that went on from one balance to the next without a new term. */
export function untouched(before: readonly Reign[], after: readonly Reign[]): readonly Reign[] {
  return before.filter((reign) => after.includes(reign))
}
