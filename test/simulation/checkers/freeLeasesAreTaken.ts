/**
 * A lease that is free, and that somebody wants who is not in trouble, is taken: within a few round trips where nobody is in trouble,
 * else within a renew interval for each one that is, and one for hints that may be lost.
 */
import type { SimulatedNode } from '../../../src/testing.ts'
import { type Duty, leasesOf, RENEW_MS } from '../plan.ts'
import { type Checker, TRIPS_MS } from './checker.ts'

export const freeLeasesAreTaken: Checker = (cluster, report) => {
  const { book, clients, plan, simulation } = cluster
  const { nodes } = simulation
  /** One report for each time that a lease is free. */
  const reported = new Map<string, number>()

  /** Since when the node could take the lease; Infinity where it cannot, or does not want to. */
  function readySinceMs(node: SimulatedNode, duty: Duty, lease: string): number {
    if (!cluster.isWanted(node, duty)) return Number.POSITIVE_INFINITY
    const rest = clients.rest(node.name, lease)
    if (rest && cluster.nowMs <= rest.untilMs) return Number.POSITIVE_INFINITY
    return Math.max(cluster.engagement(node, duty)!.sinceMs, rest?.untilMs ?? 0, cluster.recoveredAtMs(node))
  }

  function look(duty: Duty, lease: string): void {
    const freeSinceMs = book.freeSinceMs(lease, cluster.nowMs)
    if (freeSinceMs === Number.POSITIVE_INFINITY || reported.get(lease) === freeSinceMs) return
    const ready = nodes.map((node) => readySinceMs(node, duty, lease)).filter(Number.isFinite)
    if (ready.length === 0) return
    const readyMs = duty.partitions
      ? Math.max(...ready, book.settledSinceMs(duty.name, cluster.nowMs))
      : Math.min(...ready)
    const sinceMs = Math.max(freeSinceMs, readyMs)
    // Each of them may have been offered the lease, and be unable to take it, even where its session has ended meanwhile.
    const present = new Set(book.sessions(sinceMs).map(({ node }) => node))
    const troubled = nodes.filter((node) => present.has(node.name) && cluster.recoveredAtMs(node) > freeSinceMs).length
    // Who is in trouble may be the one to whom the others leave a partition.
    if (duty.partitions && troubled > 0) return
    const forMs = cluster.nowMs - sinceMs
    if (forMs <= TRIPS_MS + (troubled + (cluster.hintsFail ? 1 : 0)) * RENEW_MS) return
    reported.set(lease, freeSinceMs)
    report(`${lease} is free for ${cluster.nowMs - freeSinceMs} ms, and nobody takes it for ${forMs} ms.`)
  }

  return (fact) => {
    if (fact.type !== 'executed' && fact.type !== 'calm') return
    if (fact.type === 'executed' && fact.executed.method !== 'renew') return
    for (const duty of plan.duties) for (const lease of leasesOf(duty)) look(duty, lease)
  }
}
