/** What a story is played on: a simulated cluster with fair weather and fixed delays, so that a log changes only with what it tells. */
import type { SimbaEvent } from '../../src/index.ts'
import { type Duration, toMs } from '../../src/runtime/durations.ts'
import type { Executed, LogLine, SimulatedStore, Weather } from '../../src/testing.ts'
import type { Cluster } from '../simulation/cluster.ts'
import type { Fact, SeenTerm } from '../simulation/facts.ts'
import type { Duty } from '../simulation/plan.ts'
import { Watch } from '../simulation/watch.ts'
import { StoryNode } from './storyNode.ts'

export interface NodeSetting {
  /** Seconds of its clocks in a second of true time. Default: 1. */
  readonly rate?: number
  /** What its wall clock shows at the beginning. */
  readonly wallMs?: number
  /** The names of those that it has from its beginning. Default: all. */
  readonly duties?: readonly string[]
  /** It is not there until `arrive()`. */
  readonly isLate?: true
}

const A_DAY_IN_2023_MS = 1_700_000_000_000
/** Each way takes a millisecond; who is left without an answer is not told so. */
const WEATHER: Partial<Weather> = { delayMs: [1, 1], noticeLoss: 0 }
const SEED = 1
/** More than a request, its answer, and what follows at once take here. */
export const TRIP_MS = 10

type EventOf<Type extends SimbaEvent['type']> = Extract<SimbaEvent, { type: Type }>
type Told<T> = T & { readonly atMs: number; readonly who: string }

export class Stage {
  readonly nodes: Readonly<Record<string, StoryNode>>
  readonly cluster: Cluster
  readonly #watch: Watch

  constructor(settings: Readonly<Record<string, NodeSetting>>, duties: readonly Duty[]) {
    const plan = { seed: SEED, storeRate: 1, nodes: [], duties, faults: [], weather: WEATHER }
    this.#watch = new Watch(plan, { witness: (fact) => this.#witness(fact) })
    this.cluster = this.#watch.cluster
    this.nodes = Object.fromEntries(
      Object.entries(settings).map(([name, { rate = 1, wallMs = A_DAY_IN_2023_MS, duties, isLate }]) => {
        const node = new StoryNode(this, { name, rate, wallMs, duties })
        if (!isLate) node.arrive()
        return [name, node]
      }),
    )
  }

  get store(): SimulatedStore {
    return this.cluster.simulation.store
  }

  get nowMs(): number {
    return this.cluster.nowMs
  }

  get lines(): readonly LogLine[] {
    return this.cluster.simulation.log.lines
  }

  pass(duration: Duration): Promise<void> {
    return this.cluster.simulation.pass(duration)
  }

  /** Lets time pass until it is so, at most so long. */
  async until(what: string, isSo: () => boolean, within: Duration): Promise<void> {
    const { time } = this.cluster.simulation
    const endMs = time.nowMs + toMs('within', within, { minMs: 0 })
    await time.pass(0)
    while (!isSo()) {
      const nextMs = time.nextInMs
      if (nextMs === undefined || time.nowMs + nextMs > endMs)
        throw new Error(`It is not so within ${within}: ${what}.`)
      await time.pass(nextMs)
    }
  }

  /** Lets time pass until the promise resolves; returns how many milliseconds that took. */
  settled(promise: Promise<unknown>, within: Duration): Promise<number> {
    return this.cluster.simulation.until(promise, within)
  }

  /** The store is another process from now on. */
  restartStore(data: 'kept' | 'lost'): void {
    this.cluster.strike({ kind: 'restart', atMs: this.nowMs, data })
  }

  duty(name: string): Duty {
    return this.cluster.plan.duties.find((duty) => duty.name === name)!
  }

  /** All terms that ever began, in order. */
  terms(lease?: string): readonly SeenTerm[] {
    return this.cluster.terms.filter((term) => lease === undefined || term.lease === lease)
  }

  /** What the store has carried out, in order. */
  carriedOut(who?: StoryNode): readonly Told<Executed>[] {
    return this.lines.flatMap(({ executed, atMs, who: name }) =>
      executed && (who === undefined || who.name === name) ? [{ ...executed, atMs, who: name }] : [],
    )
  }

  /** Those of one kind. */
  commands(method: string, who?: StoryNode): readonly Told<Executed>[] {
    return this.carriedOut(who).filter((executed) => executed.method === method)
  }

  /** What the clients have published, in order. */
  events<Type extends SimbaEvent['type']>(type: Type, who?: StoryNode): readonly Told<EventOf<Type>>[] {
    return this.lines.flatMap(({ event, atMs, who: name }) =>
      event?.type === type && (who === undefined || who.name === name)
        ? [{ ...(event as EventOf<Type>), atMs, who: name }]
        : [],
    )
  }

  /** Everything that was wrong on the way is over; then all checkers have their last word. */
  async conclude(): Promise<readonly string[]> {
    this.store.thaw()
    for (const node of this.cluster.simulation.nodes) {
      node.link.setWeather({})
      node.link.cut('none')
    }
    await this.#watch.conclude()
    return this.#watch.violations
  }

  #witness(fact: Fact): void {
    if (fact.type !== 'run.looked') return
    const { of, interrupted } = fact.run
    if (of.term.isValid || interrupted) return
    this.cluster.simulation.log.note(of.node.name, `the work of ${of.lease} sees that its term is over`)
  }
}
