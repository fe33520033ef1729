/** Starts of a fixed rate lie on the grid of their term, at most one in a slot and none left out; a fixed delay counts from the end of a run. */
import type { SeenRun, SeenTerm } from '../facts.ts'
import { type Checker, GRAIN_MS } from './checker.ts'

/** A clock that makes up for a sleep may be a millisecond ahead after each one. */
const GRID_MS = GRAIN_MS + 10

export const schedulesKeepTime: Checker = (cluster, report) => {
  /** How long the node had been held when the term began. */
  const heldMs = new Map<SeenTerm, number>()

  /** When the next start of the term is due, in milliseconds of its node since it began, if the last run has ended so much later. */
  function dueMs({ duty, startedAtMs, node }: SeenTerm, before: SeenRun | undefined, slackMs: number): number {
    const { kind, everyMs, initialDelayMs } = duty.schedule!
    if (!before) return initialDelayMs
    const sinceStart = (atMs: number) => (atMs - startedAtMs) * node.clock.rate
    const exitedMs = before.exited ? sinceStart(before.exited.atMs) : Number.POSITIVE_INFINITY
    if (kind === 'fixedDelay') return exitedMs + everyMs
    const slotOf = (ms: number) => Math.floor((ms - initialDelayMs + GRID_MS) / everyMs)
    const next = 1 + Math.max(slotOf(sinceStart(before.startedAtMs)), slotOf(exitedMs + slackMs - GRID_MS))
    return initialDelayMs + next * everyMs
  }

  function check(run: SeenRun): void {
    const { of, startedAtMs } = run
    const before = of.runs.at(-2)
    const sinceStartMs = (startedAtMs - of.startedAtMs) * of.node.clock.rate
    const earlyMs = dueMs(of, before, -GRID_MS) - sinceStartMs
    const lateMs = sinceStartMs - dueMs(of, before, GRID_MS)
    const what = `Run ${of.runs.length} of term ${of.token} of ${of.lease}`
    if (earlyMs > GRID_MS) report(`${what} comes ${earlyMs} ms too early.`)
    const wasHeld = run.heldMs > (before?.heldMs ?? heldMs.get(of)!)
    if (!wasHeld && lateMs > GRID_MS) report(`${what} comes ${lateMs} ms too late.`)
  }

  return (fact) => {
    if (fact.type === 'term.started') heldMs.set(fact.term, fact.term.node.heldMs)
    const term = fact.type === 'run.started' ? fact.run.of : fact.type === 'term.revoked' ? fact.term : undefined
    if (!term?.duty.schedule || cluster.isSetForward(term.node.name)) return
    if (fact.type === 'run.started') check(fact.run)
    if (fact.type === 'term.revoked' && term.revoked?.reason !== 'fatal-work') {
      const last = term.runs.at(-1)
      const wasHeld = term.node.heldMs > (last?.heldMs ?? heldMs.get(term)!)
      const lateMs = (cluster.nowMs - term.startedAtMs) * term.node.clock.rate - dueMs(term, last, GRID_MS)
      if (!wasHeld && lateMs > GRID_MS)
        report(`The next run of term ${term.token} of ${term.lease} is missing for ${lateMs} ms.`)
    }
  }
}
