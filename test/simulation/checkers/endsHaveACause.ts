/** A term ends for what has happened outside of it, and says so: nothing ends by itself, and nothing is called what it is not. */
import type { SimbaEvent } from '../../../src/index.ts'
import type { SeenTerm } from '../facts.ts'
import { type Checker, GRAIN_MS } from './checker.ts'

type Assigned = Extract<SimbaEvent, { type: 'assignment.changed' }>

export const endsHaveACause: Checker = (cluster, report) => {
  const { book, clients } = cluster
  /** By process and lease: since it led there last. */
  const askedToStepDown = new Map<object, Set<string>>()
  /** By process and group. */
  const assigned = new Map<object, Map<string, Assigned>>()

  function hasCause({ node, process, duty, lease, token, partition, runs, revoked }: SeenTerm): boolean {
    const { session } = book.grant(token)!
    switch (revoked!.reason) {
      case 'stopped':
        return !cluster.isWanted(node, duty)
      case 'moved':
        return !(assigned.get(process)?.get(duty.name)?.partitions.includes(partition!) ?? false)
      case 'stepped-down':
        return askedToStepDown.get(process)?.delete(lease) ?? false
      case 'fatal-work':
        return duty.work.kind === 'throwing' && duty.work.isFatal && runs.at(-1)?.exited?.thrown !== undefined
      case 'session-lost':
        return clients.session(process) !== session
      case 'expired':
        return cluster.isSetForward(node.name) || revoked!.deadlineMs - cluster.nowMs <= GRAIN_MS
      case 'forgotten':
        return cluster.faults.some(({ kind }) => kind === 'restart')
      default:
        return false
    }
  }

  return (fact) => {
    if (fact.type === 'step-down.asked') {
      const { process } = fact.node
      askedToStepDown.set(process, (askedToStepDown.get(process) ?? new Set()).add(fact.lease))
    }
    if (fact.type === 'published' && fact.event.type === 'assignment.changed') {
      const { process } = fact.node
      const groups = assigned.get(process) ?? new Map<string, Assigned>()
      assigned.set(process, groups.set(fact.event.group, fact.event))
    }
    // A wish from before this term is none to leave it.
    if (fact.type === 'term.started') askedToStepDown.get(fact.term.process)?.delete(fact.term.lease)
    if (fact.type !== 'term.revoked' || hasCause(fact.term)) return
    const { token, lease, node, revoked } = fact.term
    report(`Term ${token} of ${lease} on ${node.name} ends as ${revoked!.reason}, and there is no such cause.`)
  }
}
