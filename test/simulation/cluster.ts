/** A plan, played: the nodes with their duties, the faults at their times or when somebody says so, and every fact as it is seen. */
import { fixedDelay, fixedRate, type GroupTask, type SimbaEvent, type Task, type Term } from '../../src/index.ts'
import { createSimulation, type SimulatedNode, type Simulation } from '../../src/testing.ts'
import type { Fact, SeenRun, SeenStop, SeenTerm } from './facts.ts'
import { DRIFT, type Duty, type Fault, LEASE_MS, type NodePlan, type Plan, RENEW_MS } from './plan.ts'
import { perform } from './work.ts'

/** A duty that was declared on a node. */
interface Engagement {
  readonly duty: Duty
  readonly task: Task | GroupTask
  isWanted: boolean
}

export class Cluster {
  readonly plan: Plan
  readonly simulation: Simulation
  /** Every term that was ever started, in order. */
  readonly terms: SeenTerm[] = []
  /** What has struck so far. */
  readonly faults: Fault[] = []
  readonly #see: (fact: Fact) => void
  /** By the process: a crash ends them all. */
  readonly #engagements = new Map<object, Map<string, Engagement>>()
  readonly #byToken = new Map<number, SeenTerm>()
  /** Which cuts, weathers and freezes are on: of two at a time, the later end counts. */
  readonly #troubles = new Map<string, number>()
  readonly #sleepers = new Map<object, number>()
  readonly #deadlinesAsleep = new Map<number, number>()
  readonly #sleptAtMs = new Map<SimulatedNode, number>()

  constructor(plan: Plan, see: (fact: Fact, cluster: Cluster) => void) {
    this.plan = plan
    this.#see = (fact) => see(fact, this)
    const { seed, storeRate, weather } = plan
    this.simulation = createSimulation({ seed, storeClock: { rate: storeRate }, weather })
    this.simulation.store.watch((executed) => this.#see({ type: 'executed', executed }))
    for (const nodePlan of plan.nodes) this.add(nodePlan)
    for (const fault of plan.faults) this.simulation.time.after(fault.atMs, () => this.strike(fault))
  }

  add({ name, rate, wallMs, duties }: NodePlan): SimulatedNode {
    return this.simulation.node(name ?? `node-${this.simulation.nodes.length}`, {
      simba: { leaseDuration: LEASE_MS, renewInterval: RENEW_MS, drift: DRIFT },
      clock: { rate, wallMs },
      boot: (node) => this.#boot(node, duties),
    })
  }

  get nowMs(): number {
    return this.simulation.time.nowMs
  }

  /** Whether the node runs, and means to do the duty. */
  isWanted(node: SimulatedNode, duty: Duty): boolean {
    return !node.process.isCrashed && (this.engagement(node, duty)?.isWanted ?? false)
  }

  engagement(node: SimulatedNode, duty: Duty): Engagement | undefined {
    return this.#engagements.get(node.process)?.get(duty.name)
  }

  /** When the term runs out as things stand, in true time. The clock of a machine that sleeps is not read: nobody could. */
  deadlineMs({ node, term, token }: SeenTerm): number {
    if (!node.clock.isAsleep) return this.nowMs + term.remainingMs / node.clock.rate
    return this.#deadlinesAsleep.get(token) ?? Number.POSITIVE_INFINITY
  }

  /** How many timers of this process are the cluster's own: of leader work, and of people who come back later. */
  sleepers(process: object): number {
    return this.#sleepers.get(process) ?? 0
  }

  /** Resolves when the stop does. */
  stopTask(node: SimulatedNode, duty: Duty, isFromInside = false): Promise<void> {
    const engagement = this.engagement(node, duty)!
    engagement.isWanted = false
    return this.#stop(node, duty, isFromInside, () => engagement.task.stop())
  }

  /** Resolves when the stop does, with a function that starts the client again. */
  async stopClient(node: SimulatedNode): Promise<() => void> {
    const { process, simba } = node
    const wanted = [...this.#engagements.get(process)!.values()].filter(({ isWanted }) => isWanted)
    for (const engagement of wanted) engagement.isWanted = false
    await this.#stop(node, undefined, false, () => simba.stop())
    return () => {
      this.simulation.log.note(node.name, 'is started again')
      for (const engagement of wanted) engagement.isWanted = true
      simba.send({ type: 'START' })
    }
  }

  /** Every client is told to stop, and has three lease durations for it. */
  async stopAll(): Promise<void> {
    const { nodes, time } = this.simulation
    const stops = nodes
      .filter(({ process }) => !process.isCrashed)
      .map((node) => this.#stop(node, undefined, false, () => node.simba.stop()))
    await time
      .until(Promise.all(stops), 3 * LEASE_MS)
      .catch(() => this.simulation.log.note('CHECK', 'not all have stopped'))
  }

  #boot(node: SimulatedNode, duties?: readonly string[]): void {
    this.#engagements.set(node.process, new Map())
    node.simba.on('*', (event) => this.#hear(node, event))
    for (const duty of this.plan.duties) if (duties?.includes(duty.name) ?? true) this.engage(node, duty)
  }

  /** Declares the duty on the node's client. */
  engage(node: SimulatedNode, duty: Duty): void {
    const { name, partitions, balance, schedule } = duty
    const work = (term: Term) => this.#work(node, term)
    const plan =
      schedule && { fixedRate, fixedDelay }[schedule.kind](schedule.everyMs, { initialDelay: schedule.initialDelayMs })
    const leader = partitions ? node.simba.group(name, { partitions, balance }) : node.simba.election(name)
    const task = plan ? leader.schedule(plan, work) : leader.runWhileLeader(work)
    this.#engagements.get(node.process)!.set(name, { duty, task, isWanted: true })
  }

  #hear(node: SimulatedNode, event: SimbaEvent): void {
    if (event.type === 'term.started') this.#begin(node, event)
    const term = 'token' in event ? this.#byToken.get(event.token) : undefined
    if (event.type === 'term.revoked' && term) {
      term.revoked = { atMs: this.nowMs, reason: event.reason, deadlineMs: this.deadlineMs(term) }
      this.#see({ type: 'term.revoked', term })
    }
    if (event.type === 'term.ended' && term) {
      term.endedAtMs = this.nowMs
      // A lost session, or a wall clock that was set forward, has ended it before the deadline that was fixed.
      if (term.revoked && term.term.remainingMs === 0)
        term.revoked = { ...term.revoked, deadlineMs: Math.min(term.revoked.deadlineMs, this.nowMs) }
      this.#see({ type: 'term.ended', term })
    }
    this.#see({ type: 'published', node, event })
  }

  #begin(
    node: SimulatedNode,
    key: { readonly lease: string; readonly token: number; readonly partition?: number },
  ): void {
    const duty = this.plan.duties.find(({ name }) => key.lease === name || key.lease.startsWith(`${name}.`))!
    const { task } = this.engagement(node, duty)!
    const term = typeof task.term === 'function' ? task.term(key.partition!) : task.term
    if (!term) throw new Error(`The handle of ${duty.name} knows of no term when it has just started.`)
    const seen: SeenTerm = { ...key, node, process: node.process, duty, term, startedAtMs: this.nowMs, runs: [] }
    this.terms.push(seen)
    this.#byToken.set(key.token, seen)
    this.#see({ type: 'term.started', term: seen })
  }

  async #work(node: SimulatedNode, term: Term): Promise<void> {
    const of = this.#byToken.get(term.token)
    if (!of) throw new Error(`Work was given the term ${term.token}, which has not started.`)
    const run: SeenRun = { of, startedAtMs: this.nowMs, heldMs: node.heldMs }
    of.runs.push(run)
    this.#see({ type: 'run.started', run })
    const interrupted = () => {
      run.interruptedAtMs = this.nowMs
      this.#see({ type: 'run.interrupted', run })
    }
    if (term.signal.aborted) interrupted()
    else term.signal.addEventListener('abort', interrupted)
    try {
      await perform(of.duty, term, {
        sleep: (ms, signal) => this.#sleep(node, ms, signal),
        look: () => this.#see({ type: 'run.looked', run }),
        stopTask: () => this.stopTask(node, of.duty, true),
      })
      run.exited = { atMs: this.nowMs }
    } catch (thrown) {
      run.exited = { atMs: this.nowMs, thrown }
      throw thrown
    } finally {
      term.signal.removeEventListener('abort', interrupted)
      this.#see({ type: 'run.exited', run })
    }
  }

  async #sleep(node: SimulatedNode, ms: number, signal?: AbortSignal): Promise<void> {
    const { process } = node
    this.#sleepers.set(process, this.sleepers(process) + 1)
    await node.sleep(ms, signal)
    this.#sleepers.set(process, this.sleepers(process) - 1)
  }

  /** The fault happens now, whenever its plan would have it. */
  strike(fault: Fault): void {
    this.faults.push(fault)
    const { store, time, nodes } = this.simulation
    if (fault.kind === 'freeze') {
      store.freeze()
      this.#trouble('store', fault.forMs, () => store.thaw())
      return
    }
    if (fault.kind === 'restart') {
      store.restart(fault.data)
      return
    }
    const node = nodes[fault.node % nodes.length]!
    const duty = 'duty' in fault ? this.plan.duties[fault.duty % this.plan.duties.length]! : undefined
    switch (fault.kind) {
      case 'pause':
        node.pause(fault.forMs)
        break
      case 'sleep':
        for (const term of this.terms)
          if (term.node === node) this.#deadlinesAsleep.set(term.token, this.deadlineMs(term))
        node.suspend(fault.forMs)
        this.#sleptAtMs.set(node, this.nowMs + fault.forMs)
        break
      case 'crash':
        node.crash()
        time.after(fault.forMs, () => node.restart())
        break
      case 'wall-step':
        // Neither clock would show a sleep during which somebody sets the wall clock back.
        if (fault.byMs > 0 || this.nowMs > (this.#sleptAtMs.get(node) ?? -Infinity) + 2_000) node.stepWall(fault.byMs)
        break
      case 'cut':
        node.link.cut(fault.way)
        this.#trouble(`cut of ${node.name}`, fault.forMs, () => node.link.cut('none'))
        break
      case 'weather':
        node.link.setWeather(fault.weather)
        this.#trouble(`weather of ${node.name}`, fault.forMs, () => node.link.setWeather({}))
        break
      case 'stop-client':
        node.process.enter(() => void this.#stopAndStartAgain(node, fault.forMs))
        break
      case 'stop-task':
        node.process.enter(() => {
          if (this.isWanted(node, duty!)) void this.#stopAndEngageAgain(node, duty!, fault.forMs)
        })
        break
      case 'step-down':
        node.process.enter(() => this.#stepDown(node, duty!))
        break
    }
  }

  #trouble(what: string, forMs: number, end: () => void): void {
    const endMs = Math.max(this.nowMs + forMs, this.#troubles.get(what) ?? 0)
    this.#troubles.set(what, endMs)
    this.simulation.time.after(forMs, () => {
      if (this.#troubles.get(what)! <= this.nowMs) end()
    })
  }

  #stepDown(node: SimulatedNode, duty: Duty): void {
    if (!this.isWanted(node, duty)) return
    this.simulation.log.note(node.name, `is asked to step down from ${duty.name}`)
    this.engagement(node, duty)?.task.actor?.send({ type: 'STEP_DOWN' })
  }

  async #stopAndStartAgain(node: SimulatedNode, forMs: number): Promise<void> {
    const startAgain = await this.stopClient(node)
    await this.#sleep(node, forMs)
    startAgain()
  }

  async #stopAndEngageAgain(node: SimulatedNode, duty: Duty, forMs: number): Promise<void> {
    await this.stopTask(node, duty)
    await this.#sleep(node, forMs)
    this.simulation.log.note(node.name, `is given ${duty.name} again`)
    this.engage(node, duty)
  }

  async #stop(
    node: SimulatedNode,
    duty: Duty | undefined,
    isFromInside: boolean,
    ask: () => Promise<void>,
  ): Promise<void> {
    const { process, heldMs } = node
    const stop: SeenStop = { node, process, duty, isFromInside, askedAtMs: this.nowMs, heldMs }
    this.simulation.log.note(node.name, `is asked to stop ${duty?.name ?? 'everything'}`)
    this.#see({ type: 'stop.asked', stop })
    await ask()
    this.simulation.log.note(node.name, `has stopped ${duty?.name ?? 'everything'}`)
    this.#see({ type: 'stop.done', stop })
  }
}
