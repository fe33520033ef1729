/** A run sees the newest term of its lease on its node, and no other one until its end; without a schedule there is one run per term. */
import type { SeenTerm } from '../facts.ts'
import type { Checker } from './checker.ts'

export const runsKeepTheirTerm: Checker = (cluster, report) => {
  const newest = new Map<string, SeenTerm>()
  const key = ({ node, lease }: SeenTerm) => `${node.name} ${node.life} ${lease}`

  return (fact) => {
    if (fact.type === 'term.started') {
      const before = newest.get(key(fact.term))
      if (before && before.ended === undefined)
        report(`Term ${fact.term.token} of ${fact.term.lease} begins while term ${before.token} has not ended.`)
      newest.set(key(fact.term), fact.term)
    }
    if (fact.type === 'run.started') {
      const { of, term } = fact.run
      if (newest.get(key(of)) !== of) report(`Work of ${of.lease} was started in the old term ${of.token}.`)
      if (term.lease !== of.lease || term.partition !== of.partition)
        report(`Work of ${of.lease} was given the term of ${term.lease}.`)
      const unsettled = of.runs.filter((run) => !run.exited).length
      if (unsettled > 1) report(`Two runs of term ${of.token} of ${of.lease} go on side by side.`)
      if (!of.duty.schedule && of.runs.length > 1) report(`The work of term ${of.token} of ${of.lease} runs again.`)
    }
    if ('run' in fact && fact.run.term.token !== fact.run.of.token)
      report(`Work of term ${fact.run.of.token} of ${fact.run.of.lease} sees term ${fact.run.term.token}.`)
    if (fact.type === 'term.ended') {
      const { duty, runs, startedAtMs, lease, token } = fact.term
      if (!duty.schedule && runs.length === 0 && startedAtMs < cluster.nowMs)
        report(`Term ${token} of ${lease} has ended, and its work never ran.`)
    }
  }
}
