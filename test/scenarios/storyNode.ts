/** A node of a story: what may befall it, what may be asked of it, and what it leads. */
import { type Duration, toMs } from '../../src/runtime/durations.ts'
import type { Cut, SimulatedNode, Weather } from '../../src/testing.ts'
import type { SeenTerm } from '../simulation/facts.ts'
import type { Fault, NodePlan } from '../simulation/plan.ts'
import type { Stage } from './stage.ts'

export class StoryNode {
  readonly name: string
  readonly #stage: Stage
  readonly #plan: NodePlan
  #machine: SimulatedNode | undefined
  #startAgain: () => void = () => {}

  constructor(stage: Stage, plan: NodePlan & { readonly name: string }) {
    this.name = plan.name
    this.#stage = stage
    this.#plan = plan
  }

  get machine(): SimulatedNode {
    if (!this.#machine) throw new Error(`${this.name} has not arrived yet.`)
    return this.#machine
  }

  arrive(): void {
    this.#machine = this.#stage.cluster.add(this.#plan)
  }

  /** Its newest term of this lease. */
  term(lease: string): SeenTerm {
    const term = this.#stage.terms(lease).findLast(({ node }) => node === this.machine)
    if (!term) throw new Error(`${this.name} has never led ${lease}.`)
    return term
  }

  leads(lease: string): boolean {
    return this.#stage.terms(lease).some(({ node, term }) => node === this.machine && term.isValid)
  }

  /** Lets time pass until it leads. */
  async toLead(lease: string, within: Duration): Promise<SeenTerm> {
    await this.#stage.until(`${this.name} leads ${lease}`, () => this.leads(lease), within)
    return this.term(lease)
  }

  cut(way: Cut = 'both'): void {
    this.machine.link.cut(way)
  }

  /** Until `heal()`. */
  weather(weather: Partial<Weather>): void {
    const what = Object.entries(weather).map(([kind, value]) => `${kind} ${value}`)
    this.#note(`has bad weather: ${what.join(', ')}`)
    this.machine.link.setWeather(weather)
  }

  heal(): void {
    this.#note('has fair weather')
    this.machine.link.setWeather({})
    this.machine.link.cut('none')
  }

  /** The answer to its next command of this kind is lost, and the weather is fair afterwards. */
  losesAnswerTo(method: string): void {
    let isDone = false
    this.#stage.store.watch((executed) => {
      if (isDone || executed.node !== this.name || executed.method !== method) return
      isDone = true
      // The answer sets out right after this.
      this.machine.link.setWeather({ loseAnswer: 1 })
      queueMicrotask(() => this.machine.link.setWeather({}))
    })
  }

  /** Its connection breaks and is back at once: what it has missed, it looks for. */
  isHinted(): void {
    this.machine.link.cut('answers')
    this.machine.link.cut('none')
  }

  pause(duration: Duration): void {
    this.#strike({ kind: 'pause', forMs: toMs('duration', duration, { minMs: 0 }) })
  }

  /** The machine, with its monotonic clock. */
  sleep(duration: Duration): void {
    this.#strike({ kind: 'sleep', forMs: toMs('duration', duration, { minMs: 0 }) })
  }

  setWallClock(byMs: number): void {
    this.#strike({ kind: 'wall-step', byMs })
  }

  crash(): void {
    this.machine.crash()
  }

  /** Resolves when the stop does: of one task, or of the client. */
  async stop(duty?: string): Promise<void> {
    const { cluster } = this.#stage
    if (duty !== undefined) await cluster.stopTask(this.machine, this.#stage.duty(duty))
    else this.#startAgain = await cluster.stopClient(this.machine)
  }

  /** The client, after a stop. */
  startAgain(): void {
    this.#startAgain()
  }

  declare(duty: string): void {
    this.#note(`is given ${duty}`)
    this.#stage.cluster.engage(this.machine, this.#stage.duty(duty))
  }

  stepDown(duty: string): void {
    const { plan } = this.#stage.cluster
    this.#strike({ kind: 'step-down', duty: plan.duties.findIndex(({ name }) => name === duty) })
  }

  #note(what: string): void {
    this.#stage.cluster.simulation.log.note(this.name, what)
  }

  #strike(fault: Unplaced<Fault>): void {
    const { cluster, nowMs } = this.#stage
    const node = cluster.simulation.nodes.indexOf(this.machine)
    cluster.strike({ ...fault, node, atMs: nowMs } as Fault)
  }
}

/** A fault without its time and place. */
type Unplaced<F> = F extends { readonly node: number } ? Omit<F, 'node' | 'atMs'> : never
