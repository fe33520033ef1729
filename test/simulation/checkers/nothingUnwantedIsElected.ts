/**
 * What the store has in the name of a living client, the client knows of: one session, a term for each lease that it holds, and no place
 * in a line where nobody waits. No campaign was walked away from, no release, withdrawal or closing forgotten.
 */
import type { RenewAnswer } from '../../../src/backends/port.ts'
import type { SimulatedNode } from '../../../src/testing.ts'
import { dutyOf, MARGIN_MS, RENEW_MS } from '../plan.ts'
import { type Checker, GRAIN_MS } from './checker.ts'

/** The answer may be on its way, and the release after it. */
const UNDER_WAY_MS = 1_000
/** A call whose answer was lost is given up, and repeated after a pause. */
const SETTLED_AFTER_MS = 2 * RENEW_MS + UNDER_WAY_MS

export const nothingUnwantedIsElected: Checker = (cluster, report) => {
  const { book, clients, simulation } = cluster
  const reported = new Set<number>()

  /** Of all sessions that the process has opened, the store should have this one alone. */
  function lookAtSessions({ name, process }: SimulatedNode, own: string | undefined, when: string): void {
    // A wall clock that is set forward makes a client believe that a session has run out.
    if (cluster.isSetForward(name)) return
    for (const { session, node, sentAtMs, untilMs, underWayMs } of book.sessions(cluster.nowMs + GRAIN_MS)) {
      const isOfProcess = node === name && sentAtMs >= clients.bornAtMs(process)
      // What was given up and has arrived all the same is kept for a while: nobody can know of it.
      if (isOfProcess && session !== own && underWayMs <= MARGIN_MS)
        report(`${when}, ${name} has ${session} in the store for ${untilMs - cluster.nowMs} ms beside its own session.`)
    }
  }

  /** Also while there are faults elsewhere: what a client does not know, it finds out. */
  function lookAtHolds({ name, process }: SimulatedNode, sinceMs: number): void {
    for (const { lease, token, session, atMs } of book.open()) {
      if (clients.session(process) !== session || reported.has(token)) continue
      const term = cluster.terms.find((term) => term.token === token)
      // In a quarantine, not even what a session has already is granted to it again.
      const endedAtMs = term ? (term.ended?.atMs ?? cluster.nowMs) : Math.max(atMs, book.quarantinedUntilMs)
      const forMs = cluster.nowMs - Math.max(endedAtMs, sinceMs)
      if (forMs <= UNDER_WAY_MS) continue
      reported.add(token)
      report(`${name} holds ${lease} under token ${token} in the store, and has no term for ${forMs} ms.`)
    }
  }

  /** Who has stopped, or stays away, has withdrawn before. */
  function lookAtOffers({ name, process }: SimulatedNode, leases: readonly string[], renewedAtMs: number): void {
    for (const lease of leases) {
      const { stoppedAtMs = Infinity } = cluster.engagement({ process }, dutyOf(cluster.plan, lease)) ?? {}
      if (stoppedAtMs < renewedAtMs) report(`${name} is offered ${lease}, and has stopped to want it.`)
      const rest = clients.rest(name, lease)
      // A wall clock that is set forward makes a rest shorter.
      if (rest && !cluster.isSetForward(name) && rest.fromMs < renewedAtMs && cluster.nowMs < rest.untilMs)
        report(`${name} is offered ${lease}, and stays away from it.`)
    }
  }

  return (fact) => {
    if (fact.type === 'executed') {
      const { node: name, session, sentAtMs, method } = fact.executed
      const answer = fact.executed.answer as RenewAnswer | undefined
      const node = simulation.nodes.find((node) => node.name === name)!
      // Whoever opens a session has ended all others before; unless it is only now that the opening arrives.
      const isOfNow = sentAtMs >= clients.bornAtMs(node.process) && cluster.nowMs - sentAtMs <= MARGIN_MS
      if (method === 'open' && answer !== undefined && isOfNow)
        lookAtSessions(node, session, 'When it opens another one')
      if (method !== 'renew') return
      if (answer?.kind !== 'renewed' || clients.session(node.process) !== session || node.process.isCrashed) return
      lookAtOffers(node, answer.inbox.freed, sentAtMs)
      lookAtHolds(node, cluster.fairSinceMs(node) + SETTLED_AFTER_MS)
    }
    if (fact.type !== 'calm' && fact.type !== 'end') return
    for (const node of simulation.nodes.filter(({ process }) => !process.isCrashed)) {
      lookAtSessions(node, clients.session(node.process), 'At rest')
      lookAtHolds(node, 0)
    }
  }
}
