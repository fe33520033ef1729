/** Who has stepped down, or failed fatally, stays away from the lease for a lease duration: it asks for nothing there. */
import type { SimulatedNode } from '../../../src/testing.ts'
import type { SeenStop, SeenTerm } from '../facts.ts'
import { LEASE_MS } from '../plan.ts'
import { type Checker, GRAIN_MS } from './checker.ts'

/** A clock that makes up for a sleep may be ahead by a little after each one. */
const EARLY_MS = GRAIN_MS + 20

export const restsAreKept: Checker = (cluster, report) => {
  /** Terms that ended in a way after which their node rests, and has not said so yet. */
  let owed: SeenTerm[] = []
  /** Terms of partitions that have moved away before the handover was done. */
  const movedOn = new Set<SeenTerm>()
  /** Who has a reason to stay away from what: it was asked to step down, or has failed fatally. */
  const reasons = new Set<string>()

  function ended(term: SeenTerm): void {
    const { reason } = term.revoked ?? {}
    if (reason !== 'fatal-work' && reason !== 'stepped-down') return
    reasons.add(`${term.node.name} ${term.lease}`)
    if (cluster.isWanted(term.node, term.duty) && !movedOn.has(term)) owed.push(term)
  }

  function started({ node, process, lease, token }: SeenTerm): void {
    const before = owed.find((term) => term.process === process && term.lease === lease)
    if (before)
      report(`Term ${token} of ${lease} on ${node.name} follows term ${before.token}, and there was no rest between.`)
  }

  function stopAsked({ process, duty }: SeenStop): void {
    owed = owed.filter((term) => term.process !== process || (duty && term.duty !== duty))
  }

  function rests(node: SimulatedNode, { lease, restMs }: { readonly lease: string; readonly restMs: number }): void {
    if (restMs !== LEASE_MS) report(`${node.name} stays away from ${lease} for ${restMs} ms.`)
    if (!reasons.delete(`${node.name} ${lease}`)) report(`${node.name} stays away from ${lease} without a reason.`)
    owed = owed.filter((term) => term.lease !== lease || term.node !== node)
  }

  /** A partition that moves away meanwhile is not wanted any more, and nothing rests. */
  function movedAway(
    name: string,
    { group, lost }: { readonly group: string; readonly lost: readonly number[] },
  ): void {
    const hasMoved = ({ node, duty, partition }: SeenTerm) =>
      node.name === name && duty.name === group && lost.includes(partition!)
    owed = owed.filter((term) => !hasMoved(term))
    for (const term of cluster.terms) if (!term.ended && hasMoved(term)) movedOn.add(term)
  }

  return (fact) => {
    if (fact.type === 'term.ended') ended(fact.term)
    if (fact.type === 'term.started') started(fact.term)
    if (fact.type === 'stop.asked') stopAsked(fact.stop)
    if (fact.type === 'published' && fact.event.type === 'assignment.changed') movedAway(fact.node.name, fact.event)
    if (fact.type === 'step-down.asked') reasons.add(`${fact.node.name} ${fact.lease}`)
    if (fact.type === 'published' && fact.event.type === 'election.stepped-down') rests(fact.node, fact.event)
    if (fact.type !== 'executed' || fact.executed.method !== 'campaign') return
    const { node, args, sentAtMs } = fact.executed
    const lease = args[0] as string
    const rest = cluster.clients.rest(node, lease)
    // A wall clock that is set forward makes a rest shorter.
    if (!rest || cluster.isSetForward(node)) return
    if (rest.fromMs < sentAtMs && sentAtMs < rest.untilMs - EARLY_MS)
      report(`${node} campaigns for ${lease} though it stays away from it for ${rest.untilMs - sentAtMs} ms more.`)
  }
}
