/** A cluster under all checkers, from its first moment to its end. A violation does not end it: what comes of it is in the log, too. */
import { checkers } from './checkers/index.ts'
import { Cluster } from './cluster.ts'
import type { Fact } from './facts.ts'
import { LEASE_MS, MARGIN_MS, type Plan, QUIET_MS, RENEW_MS } from './plan.ts'
import type { Sabotage } from './sabotage/sabotage.ts'

/** More of one cluster say nothing new. */
const MOST_VIOLATIONS = 20
/** Round trips, and what is rounded. */
const TRIPS_MS = 500
/** Lease durations for what people have begun, or for what comes late. */
const MOST_WAITS = 12
/** How often it is asked whether that is enough. */
const SCENE_MS = 1_000

export interface WatchOptions {
  /** Hears of every fact, too. */
  readonly witness?: (fact: Fact) => void
  readonly sabotage?: Partial<Sabotage>
  /** Whether what was said so far is enough to end here. Default: never, so that what comes of a violation is in the log, too. */
  readonly isEnough?: (violations: readonly string[]) => boolean
}

export class Watch {
  readonly cluster: Cluster
  readonly violations: string[] = []
  readonly #watchers: ((fact: Fact) => void)[] = []
  readonly #isEnough: (violations: readonly string[]) => boolean

  constructor(plan: Plan, { witness = () => {}, sabotage, isEnough = () => false }: WatchOptions = {}) {
    this.#isEnough = isEnough
    this.cluster = new Cluster(plan, (fact) => this.#see(fact), sabotage)
    for (const [name, checker] of Object.entries(checkers)) {
      this.#watchers.push(checker(this.cluster, (what) => this.#report(`${name}: ${what}`)))
    }
    this.#watchers.push(witness)
  }

  get isEnough(): boolean {
    return this.#isEnough(this.violations)
  }

  async passTo(endMs: number): Promise<void> {
    const { time } = this.cluster.simulation
    while (time.nowMs < endMs && !this.isEnough) await time.pass(Math.min(SCENE_MS, endMs - time.nowMs))
  }

  /** Once nothing is wrong any more: lets the calm come in which everything must be led, then stops all clients. */
  async conclude(): Promise<void> {
    const { cluster } = this
    await this.#passWhile(() => cluster.isUnfinished)
    await this.passTo(cluster.nowMs + calmAfterMs(cluster))
    // What was late has kept the session of somebody alive who is no more.
    await this.#passWhile(() => cluster.hasGhosts)
    if (this.isEnough) return
    this.#see({ type: 'calm' })
    await this.passTo(cluster.nowMs + QUIET_MS)
    if (this.isEnough) return
    this.#see({ type: 'quiet' })
    await cluster.stopAll()
    this.#see({ type: 'end' })
  }

  async #passWhile(isSo: () => boolean): Promise<void> {
    for (let waits = 0; waits < MOST_WAITS && isSo(); waits++) await this.passTo(this.cluster.nowMs + LEASE_MS)
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
  // A handover lasts as long as the work, and a rest a lease duration.
  if (has('step-down')) ms += 2 * LEASE_MS
  if (has('stop-client') || has('stop-task') || has('flicker')) ms += LEASE_MS
  // Partitions that move away when members come back are handed over, too.
  if (duties.some(({ partitions }) => partitions)) ms += LEASE_MS
  return ms
}
