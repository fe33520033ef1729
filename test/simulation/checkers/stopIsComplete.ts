/** A stop resolves within its bound and leaves nothing: no running work that has time, no lease, session, timer, connection or listener. */
import type { SeenStop } from '../facts.ts'
import { LEASE_MS, MARGIN_MS, RENEW_MS } from '../plan.ts'
import { type Checker, GRAIN_MS } from './checker.ts'
import { StoreBook } from './storeBook.ts'

/** The work's time, the time in which the store forgets a session that cannot be closed, and the calls around it. */
const BOUND_MS = LEASE_MS + LEASE_MS + MARGIN_MS + 3 * RENEW_MS

export const stopIsComplete: Checker = (cluster, report) => {
  const book = new StoreBook()
  const waiting = new Set<SeenStop>()
  /** Until when the store keeps each session. */
  const kept = new Map<string, { readonly untilMs: number; readonly wasLate: boolean }>()
  const sessions = new Map<object, string[]>()
  /** What they held runs out with them. */
  const lost = new Set<string>()

  function awakeMs({ node, askedAtMs, heldMs }: SeenStop): number {
    return cluster.nowMs - askedAtMs - (node.heldMs - heldMs)
  }

  function done(stop: SeenStop): void {
    const { node, process, duty, isFromInside } = stop
    const what = `The stop of ${duty?.name ?? 'everything'} on ${node.name}`
    const ms = awakeMs(stop)
    if (isFromInside) {
      if (ms > GRAIN_MS) report(`${what}, asked for from inside, has taken ${ms} ms.`)
      return
    }
    if (ms * node.clock.rate > BOUND_MS) report(`${what} has taken ${ms} ms.`)
    const meant = cluster.terms.filter((term) => term.process === process && (!duty || term.duty === duty))
    for (const { startedAtMs, endedAtMs, lease, token } of meant) {
      if (startedAtMs <= cluster.nowMs && endedAtMs === undefined)
        report(`${what} is done, and term ${token} of ${lease} goes on.`)
    }
    for (const { lease, session } of book.open()) {
      const isOfTask = duty && (lease === duty.name || lease.startsWith(`${duty.name}.`))
      if (isOfTask && sessions.get(process)?.at(-1) === session && !lost.has(session))
        report(`${what} has left ${lease} with the session ${session} in the store.`)
    }
    if (duty) return
    const { connections, listeners } = node.link.inUse
    if (connections + listeners > 0) report(`${what} has left ${connections} connections and ${listeners} listeners.`)
    const timers = process.timers - cluster.sleepers(process)
    if (timers > 0) report(`${what} has left ${timers} timers.`)
    for (const session of sessions.get(process) ?? []) {
      const { untilMs, wasLate } = kept.get(session) ?? { untilMs: 0, wasLate: false }
      if (!wasLate && untilMs > cluster.nowMs + GRAIN_MS)
        report(`${what} has left the session ${session} in the store for ${untilMs - cluster.nowMs} ms.`)
    }
  }

  return (fact) => {
    if (fact.type === 'executed') {
      book.note(fact.executed, cluster.nowMs)
      const { method, answer, session, sentAtMs } = fact.executed
      const keeps = answer !== undefined && (method === 'open' || (answer as { kind?: string }).kind === 'renewed')
      if (keeps && (method === 'open' || method === 'renew')) {
        const untilMs = cluster.nowMs + LEASE_MS / cluster.simulation.store.clock.rate
        // What was given up and arrived all the same is kept for a while: nobody can know of it.
        kept.set(session, { untilMs, wasLate: cluster.nowMs - sentAtMs > RENEW_MS / 2 })
      }
      if (method === 'close') kept.delete(session)
    }
    if (fact.type === 'published' && fact.event.type === 'session.opened') {
      const { process } = fact.node
      sessions.set(process, [...(sessions.get(process) ?? []), fact.event.session])
    }
    if (fact.type === 'published' && fact.event.type === 'session.lost') lost.add(fact.event.session)
    if (fact.type === 'stop.asked') waiting.add(fact.stop)
    if (fact.type === 'stop.done') {
      waiting.delete(fact.stop)
      done(fact.stop)
    }
    if (fact.type === 'calm' || fact.type === 'end') {
      for (const stop of waiting) {
        const ms = awakeMs(stop)
        if (!stop.process.isCrashed && ms * stop.node.clock.rate > BOUND_MS)
          report(`The stop of ${stop.duty?.name ?? 'everything'} on ${stop.node.name} is not done after ${ms} ms.`)
      }
    }
  }
}
