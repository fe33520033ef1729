/** Interrupted, exited, released: a lease is given back when its work has exited, or has no time left. */
import type { SeenTerm } from '../facts.ts'
import { type Checker, GRAIN_MS } from './checker.ts'
import { StoreBook } from './storeBook.ts'

export const handoverInOrder: Checker = (cluster, report) => {
  const book = new StoreBook()
  let open: SeenTerm[] = []

  function givenBack(term: SeenTerm, sentAtMs: number, how: string): void {
    const { lease, token, revoked, runs } = term
    if (!revoked || revoked.atMs > sentAtMs) report(`Term ${token} of ${lease} was not revoked before the ${how}.`)
    if (revoked && revoked.deadlineMs - GRAIN_MS <= sentAtMs) return
    for (const { exited } of runs) {
      if (!exited || exited.atMs > sentAtMs)
        report(`The ${how} of ${lease} has left while the work of term ${token} was running, and had time left.`)
    }
  }

  return (fact) => {
    if (fact.type === 'term.started') open.push(fact.term)
    if (fact.type === 'term.revoked') {
      const { term, lease, token, runs } = fact.term
      if (!term.signal.aborted) report(`Term ${token} of ${lease} was revoked, and its signal is silent.`)
      if (term.isValid) report(`Term ${token} of ${lease} was revoked, and is valid.`)
      for (const run of runs) {
        if (!run.exited && run.interruptedAtMs === undefined) report(`The work of ${lease} was not interrupted.`)
      }
    }
    if (fact.type !== 'executed') return
    const { method, args, session, sentAtMs } = fact.executed
    for (const term of open) {
      const isMeant =
        (method === 'release' && args[1] === term.token) ||
        (method === 'withdraw' && args[0] === term.lease && book.grant(term.token)?.session === session) ||
        (method === 'close' && book.grant(term.token)?.session === session)
      if (isMeant && term.startedAtMs <= sentAtMs) givenBack(term, sentAtMs, method)
    }
    book.note(fact.executed, cluster.nowMs)
    open = open.filter((term) => !book.grant(term.token)?.isGivenBack)
  }
}
