/** Work that fails is published as what it is, and its term goes on unless the failure was fatal. No machine of the library ever fails. */
import type { Checker } from './checker.ts'

export const failuresHarmNothing: Checker = (cluster, report) => (fact) => {
  if (fact.type === 'term.revoked') {
    const { revoked, duty, lease, token } = fact.term
    if (revoked?.reason === 'crashed') report(`A machine has failed in term ${token} of ${lease}.`)
    const isFatal = duty.work.kind === 'throwing' && duty.work.isFatal
    if (revoked?.reason === 'fatal-work' && !isFatal) report(`Term ${token} of ${lease} has ended for no fatal reason.`)
  }
  if (fact.type !== 'published' || fact.event.type !== 'work.completed') return
  const { token, run, outcome, lease } = fact.event
  const term = cluster.terms.find((term) => term.token === token && term.node === fact.node)
  const exited = term?.runs[run - 1]?.exited
  if (!term) return
  const isOver = term.revoked !== undefined || !term.term.isValid
  const expected =
    exited === undefined ? 'ABANDONED' : exited.thrown === undefined ? 'COMPLETED' : isOver ? 'CANCELLED' : 'FAILED'
  if (outcome !== expected)
    report(`The run ${run} of term ${token} of ${lease} is ${outcome}, and should be ${expected}.`)
}
