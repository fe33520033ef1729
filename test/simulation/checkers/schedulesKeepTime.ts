/** Starts of a fixed rate lie on the grid of their term, at most one in a slot; a fixed delay counts from the end of a run. */
import type { SeenRun, SeenTerm } from '../facts.ts'
import { type Checker, GRAIN_MS } from './checker.ts'

/** A clock that makes up for a sleep may be a millisecond ahead after each one. */
const GRID_MS = GRAIN_MS + 10

export const schedulesKeepTime: Checker = (cluster, report) => {
  /** Of each node that jumped: a wall clock that is set forward counts as time that has passed. */
  const jumped = new Set<unknown>(
    cluster.plan.faults.flatMap((fault) =>
      fault.kind === 'wall-step' ? [`node-${fault.node % cluster.plan.nodes.length}`] : [],
    ),
  )

  function check({ of, startedAtMs, heldMs }: SeenRun, before: SeenRun | undefined): void {
    const { kind, everyMs, initialDelayMs } = of.duty.schedule!
    const what = `Run ${of.runs.length} of term ${of.token} of ${of.lease}`
    const msOfNode = (fromMs: number, toMs: number) => (toMs - fromMs) * of.node.clock.rate
    const sinceStartMs = msOfNode(of.startedAtMs, startedAtMs)
    const wasHeld = heldMs > (before?.heldMs ?? heldSinceStart.get(of) ?? 0)
    if (sinceStartMs < initialDelayMs - GRAIN_MS) report(`${what} comes before the initial delay.`)
    if (!before && !wasHeld && sinceStartMs > initialDelayMs + GRAIN_MS)
      report(`${what} comes ${sinceStartMs} ms late.`)
    if (before && kind === 'fixedDelay') {
      const pauseMs = msOfNode(before.exited?.atMs ?? startedAtMs, startedAtMs)
      if (pauseMs < everyMs - GRAIN_MS) report(`${what} comes ${pauseMs} ms after the end of the last one.`)
      if (!wasHeld && pauseMs > everyMs + GRAIN_MS) report(`${what} comes ${pauseMs} ms after the last one's end.`)
    }
    if (kind === 'fixedRate') {
      const offsetMs = sinceStartMs - firstOffset(of)
      const slot = Math.floor((offsetMs + GRAIN_MS) / everyMs)
      if (before && slot <= slots.get(before)!) report(`${what} is the second one in its slot.`)
      slots.set(of.runs.at(-1)!, slot)
      if (!wasHeld && Math.abs(offsetMs - slot * everyMs) > GRID_MS)
        report(`${what} is ${offsetMs - slot * everyMs} ms off the grid.`)
    }
  }

  const slots = new Map<SeenRun, number>()
  const heldSinceStart = new Map<SeenTerm, number>()
  const firstOffset = (term: SeenTerm) => term.duty.schedule!.initialDelayMs

  return (fact) => {
    if (fact.type === 'term.started') heldSinceStart.set(fact.term, fact.term.node.heldMs)
    if (fact.type !== 'run.started') return
    const { of } = fact.run
    if (of.duty.schedule && !jumped.has(of.node.name)) check(fact.run, of.runs.at(-2))
  }
}
