/**
 * A twin of each client's reckoning, by what it has sent and heard: a session is valid for a lease duration less the margin, from before
 * the request left that was confirmed last. A term is valid no longer than that; it is called expired no earlier; and it ends at once
 * when the store says that it does not know the session.
 */
import type { TermEndReason } from '../../../src/index.ts'
import type { SimulatedNode } from '../../../src/testing.ts'
import type { SeenTerm } from '../facts.ts'
import { LEASE_MS, MARGIN_MS, RENEW_MS } from '../plan.ts'
import { type Checker, GRAIN_MS } from './checker.ts'

/** What each sleep adds, since a wall clock tells whole milliseconds. */
const SLEEP_GRAIN_MS = 10

const HANDED_OVER: readonly TermEndReason[] = ['stopped', 'moved', 'stepped-down', 'fatal-work']

interface Denial {
  readonly node: SimulatedNode
  readonly session: string
  readonly atMs: number
}

export const validityIsEarned: Checker = (cluster, report) => {
  /** When the request left that was confirmed last, by session: whenever the answer came, and where it came in time for certain. */
  const confirmedMs = new Map<string, number>()
  const heardMs = new Map<string, number>()
  let denials: Denial[] = []

  /** What is left of the term's validity, by the clock of its node. */
  function leftMs({ token, node }: SeenTerm, confirmed: ReadonlyMap<string, number>): number {
    const { session } = cluster.book.grant(token)!
    const sinceMs = (cluster.nowMs - (confirmed.get(session) ?? Number.NEGATIVE_INFINITY)) * node.clock.rate
    return LEASE_MS - MARGIN_MS - sinceMs
  }

  /** As long as a term is not told to end, its time is that of its session. */
  function lookAtValidity(seen: SeenTerm): void {
    const { term, token, lease, node, revoked } = seen
    if (revoked) return
    const what = `Term ${token} of ${lease} has`
    const tooMuchMs = term.remainingMs - Math.max(0, leftMs(seen, confirmedMs))
    if (tooMuchMs > GRAIN_MS) report(`${what} ${tooMuchMs} ms more than was confirmed.`)
    if (term.signal.aborted || cluster.isSetForward(node.name)) return
    const tooLittleMs = leftMs(seen, heardMs) - term.remainingMs
    if (tooLittleMs > GRAIN_MS + SLEEP_GRAIN_MS) report(`${what} ${tooLittleMs} ms less than was confirmed.`)
  }

  /** What a handover has is what the session had. */
  function lookAtHandover(seen: SeenTerm): void {
    const { token, lease, node, revoked } = seen
    if (!HANDED_OVER.includes(revoked!.reason) || cluster.isSetForward(node.name) || node.clock.isAsleep) return
    const tooLittleMs = leftMs(seen, heardMs) - (revoked!.deadlineMs - cluster.nowMs) * node.clock.rate
    if (tooLittleMs > GRAIN_MS + SLEEP_GRAIN_MS)
      report(`Term ${token} of ${lease} is handed over within ${tooLittleMs} ms less than it had.`)
  }

  function lookAtDenials(): void {
    if (denials.length === 0) return
    denials = denials.filter(({ node, session, atMs }) => {
      if (cluster.nowMs <= atMs + GRAIN_MS) return true
      for (const { token, lease, revoked, process } of cluster.terms) {
        if (process === node.process && !revoked && cluster.book.grant(token)?.session === session)
          report(`Term ${token} of ${lease} goes on though the store has said that it does not know the session.`)
      }
      return false
    })
  }

  return (fact) => {
    lookAtDenials()
    if (fact.type === 'answered') {
      const { method, session, sentAtMs, answer } = fact.executed
      const kind = (answer as { readonly kind?: string } | undefined)?.kind
      const isConfirmed = (method === 'open' && answer !== undefined) || (method === 'renew' && kind === 'renewed')
      // A late answer is nobody's.
      const isHeard = (cluster.nowMs - sentAtMs) * fact.node.clock.rate < RENEW_MS / 2
      for (const confirmed of isHeard ? [confirmedMs, heardMs] : [confirmedMs])
        if (isConfirmed) confirmed.set(session, Math.max(sentAtMs, confirmed.get(session) ?? 0))
      if (method === 'renew' && kind === 'unknown' && isHeard)
        denials.push({ node: fact.node, session, atMs: cluster.nowMs })
    }
    if ('run' in fact && !fact.run.of.node.clock.isAsleep) lookAtValidity(fact.run.of)
    if (fact.type === 'term.revoked') lookAtHandover(fact.term)
    if (
      fact.type === 'term.revoked' &&
      fact.term.revoked?.reason === 'expired' &&
      !cluster.isSetForward(fact.term.node.name)
    ) {
      const earlyMs = leftMs(fact.term, heardMs)
      if (earlyMs > GRAIN_MS + SLEEP_GRAIN_MS)
        report(`Term ${fact.term.token} of ${fact.term.lease} is called expired ${earlyMs} ms too early.`)
    }
  }
}
