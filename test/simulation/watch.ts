/** A cluster under all checkers, from its first moment to its end. A violation does not end it: what comes of it is in the log, too. */
import { checkers } from './checkers/index.ts'
import { Cluster } from './cluster.ts'
import type { Fact } from './facts.ts'
import { LEASE_MS, MARGIN_MS, type Plan, RENEW_MS } from './plan.ts'

/** More of one cluster say nothing new. */
const MOST_VIOLATIONS = 20
/** Round trips, and what is rounded. */
const TRIPS_MS = 500

export class Watch {
  readonly cluster: Cluster
  readonly violations: string[] = []
  readonly #watchers: ((fact: Fact) => void)[] = []

  /** `witness` hears of every fact, too. */
  constructor(plan: Plan, witness: (fact: Fact) => void = () => {}) {
    this.cluster = new Cluster(plan, (fact) => this.#see(fact))
    for (const [name, checker] of Object.entries(checkers)) {
      this.#watchers.push(checker(this.cluster, (what) => this.#report(`${name}: ${what}`)))
    }
    this.#watchers.push(witness)
  }

  /** Once nothing is wrong any more: lets the calm come in which everything must be led, then stops all clients. */
  async conclude(): Promise<void> {
    const { simulation } = this.cluster
    await simulation.pass(calmAfterMs(this.cluster))
    this.#see({ type: 'calm' })
    await this.cluster.stopAll()
    this.#see({ type: 'end' })
    // What the runtime says of itself when one of its machines is in status `error`.
    if (String(simulation.log).includes('a defect')) this.#report('A machine of the library has failed.')
  }

  #see(fact: Fact): void {
    for (const watch of this.#watchers) watch(fact)
  }

  #report(violation: string): void {
    if (this.violations.length < MOST_VIOLATIONS) this.violations.push(violation)
    this.cluster.simulation.log.note('CHECK', violation)
  }
}

/**
 * Within which a lease is led after the faults: what the design promises, one lease duration for the last session to run out and one
 * renew interval if the next in line is frozen; and as much again for each thing that takes its time by design.
 */
function calmAfterMs({ faults, plan: { duties } }: Cluster): number {
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
