/** Plays one plan from its beginning to its end under all checkers. */
import { endOfFaultsMs, type Plan } from './plan.ts'
import { Watch, type WatchOptions } from './watch.ts'

export interface Played {
  readonly violations: readonly string[]
  readonly log: string
  readonly simulatedMs: number
  readonly terms: number
  /** Terms that were told to end. */
  readonly handovers: number
}

export async function play(plan: Plan, options: Omit<WatchOptions, 'witness'> = {}): Promise<Played> {
  const watch = new Watch(plan, options)
  const { cluster, violations } = watch
  await watch.passTo(endOfFaultsMs(plan))
  if (!watch.isEnough) await watch.conclude()
  const { time, log } = cluster.simulation
  return {
    violations,
    // Written when somebody reads it.
    get log() {
      return String(log)
    },
    simulatedMs: time.nowMs,
    terms: cluster.terms.length,
    handovers: cluster.terms.filter(({ revoked }) => revoked).length,
  }
}
