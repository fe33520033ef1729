/** `signal`, `revoked` and `isValid` agree: one reason, once; validity never comes back, and the signal follows within a second. */
import type { SeenRun, SeenTerm } from '../facts.ts'
import { type Checker, GRAIN_MS } from './checker.ts'

/** How soon a client notices that its machine has slept. */
const NOTICED_AFTER_MS = 1_000

export const revokedIsTold: Checker = (cluster, report) => {
  /** When a term was first seen out of time, by true time and by how long its node had been held. */
  const outOfTime = new Map<SeenTerm, { readonly atMs: number; readonly heldMs: number }>()
  const reasons = new Map<SeenTerm, unknown>()

  function look({ of, interruptedAtMs }: SeenRun): void {
    const { term, lease, token, node } = of
    const { isValid, signal, remainingMs } = term
    const what = `Term ${token} of ${lease}`
    if (isValid && signal.aborted) report(`${what} is valid though its signal has aborted.`)
    if (signal.aborted && interruptedAtMs === undefined) report(`${what} has aborted without telling.`)
    if (isValid && remainingMs <= 0) report(`${what} is valid, and has no time left.`)
    if (isValid === throws(() => term.ensureValid())) report(`${what} and ensureValid() disagree.`)
    if (of.revoked && remainingMs > Math.max(0, of.revoked.deadlineMs - cluster.nowMs) * node.clock.rate + GRAIN_MS)
      report(`${what} was revoked, and has got more time since.`)
    const first = outOfTime.get(of)
    if (isValid && first) report(`${what} is valid again.`)
    if (isValid) return
    if (!first) outOfTime.set(of, { atMs: cluster.nowMs, heldMs: node.heldMs })
    else if (!signal.aborted) {
      const awakeMs = cluster.nowMs - first.atMs - (node.heldMs - first.heldMs)
      if (awakeMs > NOTICED_AFTER_MS + GRAIN_MS) report(`${what} is out of time for ${awakeMs} ms, and nobody is told.`)
    }
  }

  return (fact) => {
    if (fact.type === 'term.started') {
      const { term } = fact.term
      void term.revoked.then((reason) => {
        if (!term.signal.aborted) report(`Term ${term.token} is revoked, and its signal has not aborted.`)
        if (reason !== term.signal.reason) report(`Term ${term.token} is revoked for two reasons.`)
        if (reasons.has(fact.term)) report(`Term ${term.token} was revoked twice.`)
        reasons.set(fact.term, reason)
      })
    }
    if (fact.type === 'term.revoked') {
      const { term, revoked } = fact.term
      if (term.signal.reason?.reason !== revoked?.reason)
        report(
          `Term ${term.token} was revoked as ${revoked?.reason}, and its signal says ${term.signal.reason?.reason}.`,
        )
    }
    if (fact.type === 'run.started' && !fact.run.of.term.isValid && !fact.run.of.revoked)
      report(`Work of ${fact.run.of.lease} was started out of time.`)
    if ('run' in fact) look(fact.run)
  }
}

function throws(call: () => void): boolean {
  try {
    call()
    return false
  } catch {
    return true
  }
}
