/**
 * A stop resolves within its bound, at once where nothing is in its way, and leaves nothing: no running work that has time, no lease,
 * session, timer, connection, listener or promise that never settles. What was stopped asks nothing more of the store.
 */
import type { SimulatedNode } from '../../../src/testing.ts'
import type { SeenStop } from '../facts.ts'
import { LEASE_MS, leasesOf, MARGIN_MS, RENEW_MS } from '../plan.ts'
import { type Checker, GRAIN_MS, TRIPS_MS } from './checker.ts'

/** The work's time, the time in which the store forgets a session that cannot be closed, and the calls around it. */
const BOUND_MS = LEASE_MS + LEASE_MS + MARGIN_MS + 3 * RENEW_MS

export const stopIsComplete: Checker = (cluster, report) => {
  const { book, clients } = cluster
  const waiting = new Set<SeenStop>()

  function awakeMs({ node, askedAtMs, heldMs }: SeenStop): number {
    return cluster.nowMs - askedAtMs - (node.heldMs - heldMs)
  }

  const nameOf = ({ node, duty }: SeenStop) => `The stop of ${duty?.name ?? 'everything'} on ${node.name}`

  function done(stop: SeenStop): void {
    const what = nameOf(stop)
    const ms = awakeMs(stop)
    if (stop.isFromInside) {
      doneFromInside(stop, ms)
      return
    }
    if (ms * stop.node.clock.rate > BOUND_MS) report(`${what} has taken ${ms} ms.`)
    checkSpeed(stop)
    for (const { lease, token, ended } of termsOf(stop))
      if (!ended) report(`${what} is done, and term ${token} of ${lease} goes on.`)
    if (stop.duty) taskLeftNothing(stop)
    else clientLeftNothing(stop)
  }

  /** It resolves when the interrupt is given: at once, or when a group has tried once to tell the others that it leaves. */
  function doneFromInside(stop: SeenStop, ms: number): void {
    const what = `${nameOf(stop)}, asked for from inside,`
    const boundMs = GRAIN_MS + (stop.duty?.partitions ? RENEW_MS / stop.node.clock.rate : 0)
    if (ms > boundMs) report(`${what} has taken ${ms} ms.`)
    for (const { lease, token, revoked } of termsOf(stop))
      if (!revoked) report(`${what} is done, and term ${token} of ${lease} was not told.`)
  }

  /** Where nothing is wrong, it takes as long as the work does, or as the term has left for it. */
  function checkSpeed(stop: SeenStop): void {
    const { node, askedAtMs } = stop
    if (cluster.recoveredAtMs(node) > askedAtMs) return
    const lastEndMs = Math.max(askedAtMs, ...termsOf(stop).map(({ ended }) => ended?.atMs ?? 0))
    const restMs = cluster.nowMs - lastEndMs
    if (restMs > TRIPS_MS) report(`${nameOf(stop)} has taken ${restMs} ms after the last term had ended.`)
  }

  function taskLeftNothing(stop: SeenStop): void {
    const { node, duty } = stop
    for (const { lease, session } of book.open()) {
      const isOfTask = lease === duty!.name || lease.startsWith(`${duty!.name}.`)
      if (isOfTask && isOf(session, node) && book.keptUntilMs(session) > cluster.nowMs && !clients.isLost(session))
        report(`${nameOf(stop)} has left ${lease} with the session ${session} in the store.`)
    }
    for (const { session } of book.sessions(cluster.nowMs)) {
      if (!isOf(session, node) || clients.isLost(session)) continue
      for (const lease of leasesOf(duty!))
        if (book.isInLine(lease, session, cluster.nowMs))
          report(`${nameOf(stop)} has left its session ${session} in line for ${lease}.`)
    }
    for (const { session } of book.members(duty!.name, cluster.nowMs)) {
      if (isOf(session, node) && !clients.isLost(session))
        report(`${nameOf(stop)} has left its session ${session} a member of ${duty!.name}.`)
    }
  }

  function clientLeftNothing(stop: SeenStop): void {
    const { node, process } = stop
    const what = nameOf(stop)
    const { connections, listeners } = node.link.inUse
    if (connections + listeners > 0) report(`${what} has left ${connections} connections and ${listeners} listeners.`)
    const timers = process.timers - cluster.sleepers(process)
    if (timers > 0) report(`${what} has left ${timers} timers.`)
    for (const { session, untilMs, underWayMs } of book.sessions(cluster.nowMs)) {
      // What was given up and has arrived all the same is kept for a while: nobody can know of it.
      if (isOf(session, node) && underWayMs <= MARGIN_MS && untilMs > cluster.nowMs + GRAIN_MS)
        report(`${what} has left the session ${session} in the store for ${untilMs - cluster.nowMs} ms.`)
    }
    for (const other of waiting) {
      if (other.process === process && other.duty && !other.isFromInside && other.askedAtMs < cluster.nowMs)
        report(`${what} is done, and ${nameOf(other)} is not.`)
    }
  }

  /** The terms that a stop was to end. */
  function termsOf({ process, duty, askedAtMs }: SeenStop) {
    return cluster.terms.filter(
      (term) =>
        term.process === process &&
        (!duty || term.duty === duty) &&
        (term.ended === undefined || term.ended.atMs >= askedAtMs),
    )
  }

  /** Whether the present process of the node has opened the session. */
  function isOf(session: string, { name, process }: SimulatedNode): boolean {
    const known = book.session(session)
    return known?.node === name && known.sentAtMs >= clients.bornAtMs(process)
  }

  return (fact) => {
    if (fact.type === 'executed') {
      const { node, sentAtMs, method } = fact.executed
      const sinceMs = sentAtMs - clients.stoppedAtMs(node)
      if (sinceMs > 0) report(`${node} has sent '${method}' ${sinceMs} ms after its client had stopped.`)
    }
    if (fact.type === 'stop.asked') waiting.add(fact.stop)
    if (fact.type === 'stop.done') {
      waiting.delete(fact.stop)
      done(fact.stop)
    }
    if (fact.type === 'calm' || fact.type === 'end') {
      for (const stop of waiting) {
        const ms = awakeMs(stop)
        if (!stop.process.isCrashed && ms * stop.node.clock.rate > BOUND_MS)
          report(`${nameOf(stop)} is not done after ${ms} ms.`)
      }
    }
  }
}
