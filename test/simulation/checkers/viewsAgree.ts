/**
 * Where nobody is in trouble, the members of a group have one view soon after each change: the assignment as the pure function of who
 * they are and what they rest, of which each has its part.
 */
import { simpleAssign } from '../../support/simple-assignment.ts'
import { type Duty, RENEW_MS } from '../plan.ts'
import { type Checker, TRIPS_MS } from './checker.ts'

export const viewsAgree: Checker = (cluster, report) => {
  const { book, clients, plan, simulation } = cluster
  /** Since when the members of each group were the same that have been looked at. */
  const lookedAt = new Map<Duty, number>()

  function look(duty: Duty): void {
    const { name, partitions, balance = 'hashed' } = duty
    const settledMs = book.settledSinceMs(name, cluster.nowMs)
    if (cluster.nowMs - settledMs <= TRIPS_MS + (cluster.hintsFail ? RENEW_MS : 0) || lookedAt.get(duty) === settledMs)
      return
    lookedAt.set(duty, settledMs)
    const members = book.members(name, cluster.nowMs)
    const owners = simpleAssign({ group: name, partitions: partitions!, balance }, members)
    for (const node of simulation.nodes) {
      const engagement = cluster.engagement(node, duty)
      const session = clients.session(node.process)
      if (!engagement?.isWanted || !members.some((member) => member.session === session)) continue
      const view = (engagement.task as { partitions(): readonly number[] }).partitions().join()
      const given = owners.flatMap((owner, partition) => (owner === session ? [partition] : [])).join()
      if (view !== given) report(`${node.name} has [${view}] of ${name} in its view, and is given [${given}].`)
    }
  }

  return (fact) => {
    if (fact.type !== 'executed' || fact.executed.method !== 'renew') return
    if (simulation.nodes.some((node) => cluster.recoveredAtMs(node) > cluster.nowMs)) return
    for (const duty of plan.duties) if (duty.partitions) look(duty)
  }
}
