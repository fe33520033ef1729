/** Plays one plan from its beginning to its end under all checkers. */
import { endOfFaultsMs, type Plan } from './plan.ts'
import { Watch } from './watch.ts'

export interface Played {
  readonly violations: readonly string[]
  readonly log: string
  readonly simulatedMs: number
  readonly terms: number
}

export async function play(plan: Plan): Promise<Played> {
  const watch = new Watch(plan)
  const { cluster, violations } = watch
  await cluster.simulation.pass(endOfFaultsMs(plan))
  await watch.conclude()
  const { time, log } = cluster.simulation
  return { violations, log: String(log), simulatedMs: time.nowMs, terms: cluster.terms.length }
}
