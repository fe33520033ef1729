/**
 * When the faults are over, every lease that somebody wants is led within the bound, and all nodes have the one assignment: the function
 * of who the members are and what they rest. From then on the cluster is quiet: nothing moves, and a node does no more than renew.
 */
import type { Executed } from '../../../src/testing.ts'
import { simpleAssign } from '../../support/simple-assignment.ts'
import { type Duty, leasesOf, QUIET_MS, RENEW_MS } from '../plan.ts'
import type { Checker } from './checker.ts'

/** Renewals are brought forward to where another session could run out: to each of them once in an interval, at most. */
const RENEWALS = Math.ceil(QUIET_MS / RENEW_MS) + 1

export const calmClusterLeads: Checker = (cluster, report) => {
  const { nodes } = cluster.simulation
  /** By node. What was sent before may still arrive. */
  const sent = new Map<string, Executed[]>()
  let calmSinceMs = Number.POSITIVE_INFINITY

  function isLed({ work }: Duty): boolean {
    // It rests, or stops for good, all the time.
    return work.kind !== 'stopping-itself' && !(work.kind === 'throwing' && work.isFatal)
  }

  function check(duty: Duty): void {
    const candidates = nodes.filter((node) => cluster.isWanted(node, duty))
    if (candidates.length === 0) return
    const leases = leasesOf(duty)
    const leaders = leases.map((lease) => cluster.terms.filter((term) => term.lease === lease && term.term.isValid))
    leases.forEach((lease, index) => {
      if (leaders[index]!.length !== 1) report(`${lease} has ${leaders[index]!.length} leaders in a calm cluster.`)
    })
    if (!duty.partitions) return
    const { name, partitions, balance = 'hashed' } = duty
    const members = cluster.book.members(name, cluster.nowMs)
    const owners = simpleAssign({ group: name, partitions, balance }, members)
    for (const node of candidates) {
      const task = cluster.engagement(node, duty)!.task as { partitions(): readonly number[] }
      const view = task.partitions().join()
      const led = leaders.flatMap((terms, partition) => (terms[0]?.node === node ? [partition] : []))
      const given = owners.flatMap((session, partition) =>
        session === cluster.clients.session(node.process) ? [partition] : [],
      )
      if (view !== led.join()) report(`${node.name} has [${view}] of ${name} in its view, and leads [${led}].`)
      if (view !== given.join()) report(`${node.name} has [${view}] of ${name} in its view, and is given [${given}].`)
    }
  }

  function checkQuiet(): void {
    for (const [node, commands] of sent) {
      const others = commands.filter(({ method }) => method !== 'renew')
      const renewals = commands.length - others.length
      for (const { method, args } of others) report(`${node} does '${method} ${args}' in a calm cluster.`)
      if (renewals > RENEWALS * nodes.length) report(`${node} renews ${renewals} times within ${QUIET_MS} ms.`)
      if (renewals < Math.floor(QUIET_MS / RENEW_MS) - 1)
        report(`${node} renews ${renewals} times within ${QUIET_MS} ms.`)
    }
  }

  return (fact) => {
    if (fact.type === 'calm') {
      if (cluster.plan.duties.every(isLed)) calmSinceMs = cluster.nowMs
      for (const duty of cluster.plan.duties.filter(isLed)) check(duty)
      for (const { name, process } of nodes)
        if (!process.isCrashed && !cluster.clients.isStopped(name)) sent.set(name, [])
    }
    if (calmSinceMs > cluster.nowMs) return
    if (fact.type === 'executed' && fact.executed.sentAtMs >= calmSinceMs)
      sent.get(fact.executed.node)?.push(fact.executed)
    if (fact.type === 'term.revoked')
      report(`Term ${fact.term.token} of ${fact.term.lease} ends as ${fact.term.revoked!.reason} in a calm cluster.`)
    if (fact.type === 'quiet') {
      calmSinceMs = Number.POSITIVE_INFINITY
      checkQuiet()
    }
  }
}
