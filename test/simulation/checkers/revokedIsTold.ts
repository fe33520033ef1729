/**
 * `signal`, `revoked`, `isValid`, `ensureValid()` and `remainingMs` agree: one reason, once; validity never comes back, the signal follows
 * within a second, and what is left after the revoke is the time that the term had then.
 */
import { TermExpiredError } from '../../../src/index.ts'
import type { SeenRun, SeenTerm } from '../facts.ts'
import { type Checker, GRAIN_MS } from './checker.ts'

/** How soon a client notices that its machine has slept. */
const NOTICED_AFTER_MS = 1_000

export const revokedIsTold: Checker = (cluster, report) => {
  /** When a term was first seen out of time, by true time and by how long its node had been held. */
  const outOfTime = new Map<SeenTerm, { readonly atMs: number; readonly heldMs: number }>()
  /** What the promises have said that were asked for at the beginning. */
  const reasons = new Map<SeenTerm, unknown>()
  let unresolved: SeenTerm[] = []

  function look({ of, term, interrupted }: SeenRun): void {
    const { lease, token, node } = of
    const { isValid, signal, remainingMs } = term
    const what = `Term ${token} of ${lease}`
    if (isValid && signal.aborted) report(`${what} is valid though its signal has aborted.`)
    if (signal.aborted && interrupted === undefined) report(`${what} has aborted without telling.`)
    if (isValid && remainingMs <= 0) report(`${what} is valid, and has no time left.`)
    const refusal = refusalOf(() => term.ensureValid())
    if (isValid === (refusal !== undefined)) report(`${what} and ensureValid() disagree.`)
    if (refusal && signal.aborted && refusal !== signal.reason) report(`${what} is refused for another reason.`)
    if (of.revoked) lookAtRest(of, remainingMs)
    const first = outOfTime.get(of)
    if (isValid && first) report(`${what} is valid again.`)
    if (isValid) return
    if (!first) outOfTime.set(of, { atMs: cluster.nowMs, heldMs: node.heldMs })
    else if (!signal.aborted) {
      const awakeMs = cluster.nowMs - first.atMs - (node.heldMs - first.heldMs)
      if (awakeMs > NOTICED_AFTER_MS + GRAIN_MS) report(`${what} is out of time for ${awakeMs} ms, and nobody is told.`)
    }
  }

  /** What a run does that wants to know whether there is time for it. */
  function ask({ term, of }: SeenRun): void {
    const { isValid, remainingMs } = term
    const what = `Term ${of.token} of ${of.lease}`
    if (!isValid) report(`The work of ${of.lease} was started out of time.`)
    else if (!refusalOf(() => term.ensureValid(remainingMs + 1))) report(`${what} promises more than it has.`)
    else if (refusalOf(() => term.ensureValid(Math.floor(remainingMs)))) report(`${what} has less than it says.`)
  }

  function lookAtRest({ revoked, lease, token, node }: SeenTerm, remainingMs: number): void {
    const leftMs = Math.max(0, revoked!.deadlineMs - cluster.nowMs) * node.clock.rate
    const what = `Term ${token} of ${lease} was revoked, and has`
    if (remainingMs > leftMs + GRAIN_MS) report(`${what} got more time since.`)
    const isShortened =
      cluster.clients.isLost(cluster.book.grant(token)?.session ?? '') || cluster.isSetForward(node.name)
    if (!isShortened && remainingMs < leftMs - GRAIN_MS) report(`${what} lost ${leftMs - remainingMs} ms since.`)
  }

  function revoked(seen: SeenTerm): void {
    const { term, token, revoked } = seen
    const { reason } = term.signal
    if (!(reason instanceof TermExpiredError) || reason.reason !== revoked?.reason)
      report(`Term ${token} was revoked as ${revoked?.reason}, and its signal says ${String(reason)}.`)
    unresolved.push(seen)
  }

  /** Promises have had their turn when time has passed. */
  function lookAtPromises(): void {
    if (unresolved.length === 0) return
    unresolved = unresolved.filter((seen) => {
      if (seen.revoked!.atMs === cluster.nowMs) return true
      if (reasons.get(seen) !== seen.term.signal.reason)
        report(`Term ${seen.token} was revoked, and its promise says ${String(reasons.get(seen))}.`)
      return false
    })
  }

  return (fact) => {
    lookAtPromises()
    if (fact.type === 'term.started') {
      const seen = fact.term
      void seen.term.revoked.then((reason) => {
        if (!seen.term.signal.aborted) report(`Term ${seen.token} is revoked, and its signal has not aborted.`)
        reasons.set(seen, reason)
      })
    }
    if (fact.type === 'term.revoked') revoked(fact.term)
    if (fact.type === 'term.ended') {
      const { term, token } = fact.term
      const { reason } = term.signal
      if (!term.signal.aborted) report(`Term ${token} has ended, and its signal is silent.`)
      void term.revoked.then((late) => {
        if (late !== reason) report(`Term ${token} tells another reason to those who ask late.`)
      })
    }
    if (fact.type === 'run.started') ask(fact.run)
    if ('run' in fact) look(fact.run)
  }
}

function refusalOf(call: () => void): unknown {
  try {
    call()
    return undefined
  } catch (error) {
    return error
  }
}
