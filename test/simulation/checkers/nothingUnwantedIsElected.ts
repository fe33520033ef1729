/** In a calm cluster, every lease that a living session holds has a term there: no campaign was walked away from, no release forgotten. */
import type { Checker } from './checker.ts'
import { StoreBook } from './storeBook.ts'

/** The answer may be on its way, and the release after it. */
const UNDER_WAY_MS = 1_000

export const nothingUnwantedIsElected: Checker = (cluster, report) => {
  const book = new StoreBook()
  /** The present session of each process. */
  const sessions = new Map<object, string>()

  return (fact) => {
    if (fact.type === 'executed') book.note(fact.executed, cluster.nowMs)
    if (fact.type === 'published' && fact.event.type === 'session.opened')
      sessions.set(fact.node.process, fact.event.session)
    if (fact.type === 'published' && fact.event.type === 'session.lost') sessions.delete(fact.node.process)
    if (fact.type !== 'calm') return
    for (const { lease, token, session, atMs } of book.open()) {
      const owner = cluster.simulation.nodes.find(({ process }) => sessions.get(process) === session)
      if (!owner || owner.process.isCrashed) continue
      const term = cluster.terms.find((term) => term.token === token)
      const sinceMs = cluster.nowMs - (term ? (term.endedAtMs ?? cluster.nowMs) : atMs)
      if (sinceMs > UNDER_WAY_MS)
        report(`${owner.name} holds ${lease} under token ${token} in the store, and has no term for ${sinceMs} ms.`)
    }
  }
}
