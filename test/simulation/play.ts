/** Plays one plan to its end under all checkers. A violation does not end it: what comes of it is in the log, too. */
import { checkers } from './checkers/index.ts'
import { Cluster } from './cluster.ts'
import type { Fact } from './facts.ts'
import { endOfFaultsMs, LEASE_MS, MARGIN_MS, type Plan, RENEW_MS } from './plan.ts'

export interface Story {
  readonly violations: readonly string[]
  readonly log: string
  readonly simulatedMs: number
  readonly terms: number
}

/** More of one plan say nothing new. */
const MOST_VIOLATIONS = 20
/** Round trips, and what is rounded. */
const TRIPS_MS = 500

export async function play(plan: Plan): Promise<Story> {
  const violations: string[] = []
  const watchers: ((fact: Fact) => void)[] = []
  const cluster = new Cluster(plan, (fact) => {
    for (const watch of watchers) watch(fact)
  })
  for (const [name, checker] of Object.entries(checkers)) {
    watchers.push(
      checker(cluster, (what) => {
        const violation = `${name}: ${what}`
        if (violations.length < MOST_VIOLATIONS) violations.push(violation)
        cluster.simulation.log.note('CHECK', violation)
      }),
    )
  }
  await cluster.simulation.pass(endOfFaultsMs(plan) + calmAfterMs(plan))
  for (const watch of watchers) watch({ type: 'calm' })
  await cluster.stopAll()
  for (const watch of watchers) watch({ type: 'end' })
  const { time } = cluster.simulation
  const log = String(cluster.simulation.log)
  // What the runtime says of itself when one of its machines is in status `error`.
  if (log.includes('a defect')) violations.push('A machine of the library has failed.')
  return { violations, log, simulatedMs: time.nowMs, terms: cluster.terms.length }
}

/**
 * Within which a lease is led after the faults: what the design promises, one lease duration for the last session to run out and one
 * renew interval if the next in line is frozen; and as much again for each thing in the plan that takes its time by design.
 */
function calmAfterMs({ faults, duties }: Plan): number {
  const has = (kind: string) => faults.some((fault) => fault.kind === kind)
  let ms = LEASE_MS + MARGIN_MS + RENEW_MS + TRIPS_MS
  // The store grants nothing for a lease duration after it noticed that it was restarted.
  if (has('restart')) ms += LEASE_MS
  // A handover lasts as long as the work, a rest a lease duration, and a stop as long as it takes before the client starts again.
  if (has('step-down')) ms += 2 * LEASE_MS
  if (has('stop-client') || has('stop-task')) ms += 2 * LEASE_MS + 3 * RENEW_MS
  // Partitions that move away when members come back are handed over, too.
  if (duties.some(({ partitions }) => partitions)) ms += LEASE_MS
  return ms
}
