/** Late and repeated commands do nothing: the numbers by which they are known. */
import { changeSessions, sessionOf } from './sessions.ts'
import type { LastNumber, Store, Subject } from './store.ts'

/** A number counts once for each lease and each group, never after a greater one, and never once it is settled. */
export function isStale(store: Store, session: string, subject: Subject, number: number): boolean {
  const settled = sessionOf(store, session)?.settled ?? 0
  const last = store.numbers.find(isOf(session, subject))?.number ?? 0
  return number <= settled || number <= last
}

/** A number is used up by being seen, whatever comes of its command. */
export function useUp(store: Store, session: string, subject: Subject, number: number): Store {
  const isSame = isOf(session, subject)
  return { ...store, numbers: [...store.numbers.filter((fact) => !isSame(fact)), { session, subject, number }] }
}

/** What is settled only grows. Numbers below it need not be remembered any longer. */
export function settle(store: Store, session: string, settled: number): Store {
  return changeSessions(store, (fact) =>
    fact.session === session ? { ...fact, settled: Math.max(fact.settled, settled) } : fact,
  )
}

function isOf(session: string, subject: Subject): (fact: LastNumber) => boolean {
  return (fact) => fact.session === session && fact.subject === subject
}
