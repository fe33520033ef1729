/**
 * Interrupted, exited, released: a lease is given back when its work has exited, or has no time left; and then at once. Nobody waits for
 * work longer than its term has, and work that heeds the interrupt is told of it.
 */
import type { SimulatedNode } from '../../../src/testing.ts'
import type { SeenRun, SeenTerm } from '../facts.ts'
import { type Checker, GRAIN_MS } from './checker.ts'

export const handoverInOrder: Checker = (cluster, report) => {
  const { book } = cluster
  /** Not yet given back. */
  let open: SeenTerm[] = []
  const lost = new Map<string, { readonly atMs: number; readonly node: SimulatedNode }>()

  function givenBack(term: SeenTerm, sentAtMs: number, how: string): void {
    const { lease, token, revoked, runs } = term
    if (!revoked || revoked.atMs > sentAtMs) report(`Term ${token} of ${lease} was not revoked before the ${how}.`)
    if (revoked && revoked.deadlineMs - GRAIN_MS <= sentAtMs) return
    for (const { exited } of runs) {
      if (!exited || exited.atMs > sentAtMs)
        report(`The ${how} of ${lease} has left while the work of term ${token} was running, and had time left.`)
    }
  }

  function revoked({ term, lease, token, runs }: SeenTerm): void {
    if (!term.signal.aborted) report(`Term ${token} of ${lease} was revoked, and its signal is silent.`)
    if (term.isValid) report(`Term ${token} of ${lease} was revoked, and is valid.`)
    for (const run of runs) {
      if (!run.exited && !run.interrupted) report(`The work of ${lease} was not interrupted.`)
    }
  }

  function ended({ lease, token, revoked, ended, runs }: SeenTerm): void {
    if (!revoked) report(`Term ${token} of ${lease} has ended, and was not revoked.`)
    if (!revoked || revoked.heldMs < ended!.heldMs) return
    const exits = runs.map(({ exited }) => exited?.atMs ?? Number.POSITIVE_INFINITY)
    const dueMs = Math.max(revoked.atMs, Math.min(revoked.deadlineMs, Math.max(0, ...exits)))
    if (cluster.nowMs - dueMs > GRAIN_MS)
      report(`Term ${token} of ${lease} has ended ${cluster.nowMs - dueMs} ms after nothing was left of it.`)
  }

  /** The first attempt, unless it was lost. */
  function released({ lease, token, node, ended }: SeenTerm, sentAtMs: number): void {
    if (!ended || cluster.fairSinceMs(node) > ended.atMs) return
    if (sentAtMs - ended.atMs > GRAIN_MS)
      report(`Term ${token} of ${lease} has ended, and its release has left ${sentAtMs - ended.atMs} ms later.`)
  }

  function exited({ of, interrupted, exited }: SeenRun): void {
    const { work } = of.duty
    if (work.kind !== 'machine' || !work.heeds || !interrupted || !exited) return
    const tookMs = (exited.atMs - interrupted.atMs) * of.node.clock.rate
    if (exited.heldMs === interrupted.heldMs && tookMs > work.exitMs + GRAIN_MS)
      report(`The machine that works for ${of.lease} was told ${tookMs - work.exitMs} ms too late.`)
  }

  /** With the session, all is over at once. */
  function lookAtLost(): void {
    if (lost.size === 0) return
    for (const [session, { atMs, node }] of lost) {
      if (cluster.nowMs - atMs <= GRAIN_MS) continue
      lost.delete(session)
      for (const { process, ended, token, lease } of cluster.terms) {
        if (process === node.process && !process.isCrashed && !ended && book.grant(token)?.session === session)
          report(`Term ${token} of ${lease} goes on though its session is lost.`)
      }
    }
  }

  return (fact) => {
    lookAtLost()
    if (fact.type === 'published' && fact.event.type === 'session.lost')
      lost.set(fact.event.session, { atMs: cluster.nowMs, node: fact.node })
    if (fact.type === 'term.started') open.push(fact.term)
    if (fact.type === 'term.revoked') revoked(fact.term)
    if (fact.type === 'term.ended') ended(fact.term)
    if (fact.type === 'run.exited') exited(fact.run)
    if (fact.type !== 'executed') return
    const { method, args, session, sentAtMs } = fact.executed
    for (const term of open) {
      const isMeant =
        (method === 'release' && args[1] === term.token) ||
        (method === 'withdraw' && args[0] === term.lease && book.grant(term.token)?.session === session) ||
        (method === 'close' && book.grant(term.token)?.session === session)
      if (isMeant && term.startedAtMs <= sentAtMs) givenBack(term, sentAtMs, method)
      if (isMeant && method === 'release') released(term, sentAtMs)
    }
    open = open.filter((term) => book.grant(term.token)?.givenBackAtMs === undefined)
  }
}
