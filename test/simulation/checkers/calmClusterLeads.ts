/** When the faults are over, every lease that somebody wants is led within the bound, and all nodes have the one assignment. */
import type { Duty } from '../plan.ts'
import type { Checker } from './checker.ts'

export const calmClusterLeads: Checker = (cluster, report) => {
  const { nodes } = cluster.simulation

  function check(duty: Duty): void {
    // It rests, or stops for good, all the time.
    if (duty.work.kind === 'stopping-itself' || (duty.work.kind === 'throwing' && duty.work.isFatal)) return
    const candidates = nodes.filter((node) => cluster.isWanted(node, duty))
    if (candidates.length === 0) return
    const leases = duty.partitions
      ? Array.from({ length: duty.partitions }, (_, partition) => `${duty.name}.${partition}`)
      : [duty.name]
    const leaders = leases.map((lease) => cluster.terms.filter((term) => term.lease === lease && term.term.isValid))
    leases.forEach((lease, index) => {
      if (leaders[index]!.length !== 1) report(`${lease} has ${leaders[index]!.length} leaders in a calm cluster.`)
    })
    if (!duty.partitions) return
    for (const node of candidates) {
      const task = cluster.engagement(node, duty)!.task as { partitions(): readonly number[] }
      const led = leaders.flatMap((terms, partition) => (terms[0]?.node === node ? [partition] : []))
      if (task.partitions().join() !== led.join())
        report(`${node.name} has [${task.partitions()}] of ${duty.name} in its view, and leads [${led}].`)
    }
  }

  return (fact) => {
    if (fact.type === 'calm') for (const duty of cluster.plan.duties) check(duty)
  }
}
