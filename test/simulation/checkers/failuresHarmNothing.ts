/** Each run is published once, as what it is; its term goes on unless the failure was fatal. No machine of the library ever fails. */
import type { SeenTerm } from '../facts.ts'
import { type Checker, GRAIN_MS } from './checker.ts'

export const failuresHarmNothing: Checker = (cluster, report) => {
  /** How many runs of a term were published. */
  const published = new Map<SeenTerm, number>()

  function ended(term: SeenTerm): void {
    const { revoked, duty, lease, token, runs } = term
    if (revoked?.reason === 'crashed') report(`A machine has failed in term ${token} of ${lease}.`)
    const last = runs.at(-1)
    // The term may have ended by itself at the moment of the failure.
    const wasFatal = duty.work.kind === 'throwing' && duty.work.isFatal && last?.exited?.thrown !== undefined
    if (revoked?.reason === 'fatal-work' && !wasFatal)
      report(`Term ${token} of ${lease} has ended for no fatal reason.`)
    if (wasFatal && revoked && last.exited!.atMs < revoked.atMs - GRAIN_MS)
      report(`Term ${token} of ${lease} went on after a fatal failure.`)
  }

  function over(term: SeenTerm): void {
    const missing = term.runs.length - (published.get(term) ?? 0)
    if (term.ended !== undefined && missing !== 0)
      report(`Term ${term.token} of ${term.lease} has ended, and ${missing} of its runs were not published.`)
  }

  return (fact) => {
    if (fact.type === 'machine.failed') report(`${fact.node} says: ${fact.message}`)
    if (fact.type === 'term.ended') ended(fact.term)
    if (fact.type === 'end') cluster.terms.forEach(over)
    if (fact.type !== 'published' || fact.event.type !== 'work.completed') return
    const { token, run, outcome, lease } = fact.event
    const term = cluster.terms.find((term) => term.token === token && term.node === fact.node)
    if (!term) return
    published.set(term, (published.get(term) ?? 0) + 1)
    const exited = term.runs[run - 1]?.exited
    const isOver = term.revoked !== undefined || !term.term.isValid
    const expected =
      exited === undefined ? 'ABANDONED' : exited.thrown === undefined ? 'COMPLETED' : isOver ? 'CANCELLED' : 'FAILED'
    const what = `The run ${run} of term ${token} of ${lease}`
    if (outcome !== expected) report(`${what} is ${outcome}, and should be ${expected}.`)
    if (exited && cluster.nowMs - exited.atMs > GRAIN_MS)
      report(`${what} was published ${cluster.nowMs - exited.atMs} ms after its end.`)
  }
}
