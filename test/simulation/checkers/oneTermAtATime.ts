/** A lease never has two exclusive terms at once, in true time: each from its grant until its release or its own deadline. */
import type { SeenTerm } from '../facts.ts'
import type { Checker } from './checker.ts'

export const oneTermAtATime: Checker = (cluster, report) => {
  const { book } = cluster
  /** Terms that may still be exclusive. */
  let open: SeenTerm[] = []

  return (fact) => {
    if (fact.type === 'term.started') open.push(fact.term)
    if (open.length === 0) return
    open = open.filter((term) => {
      const newest = book.last(term.lease)
      const leftMs = cluster.deadlineMs(term) - cluster.nowMs
      const isExclusive = book.grant(term.token)?.givenBackAtMs === undefined && leftMs > 0
      if (isExclusive && newest && newest.token !== term.token) {
        report(
          `Term ${term.token} of ${term.lease} on ${term.node.name} has ${leftMs} ms left, and term ${newest.token} was granted to ${newest.node}.`,
        )
        return false
      }
      if (term.ended !== undefined && term.term.isValid)
        report(`Term ${term.token} of ${term.lease} has ended, and is valid.`)
      return isExclusive || (term.ended === undefined && !term.process.isCrashed)
    })
  }
}
