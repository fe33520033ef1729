/** A plan, played: the nodes with their duties, the faults at their times or when somebody says so, and every fact as it is seen. */
import {
  createSimba,
  fixedDelay,
  fixedRate,
  type GroupTask,
  type Logger,
  type SimbaEvent,
  type SimbaOptions,
  type Task,
  type Term,
} from '../../src/index.ts'
import { createSimulation, type SimulatedNode, type Simulation } from '../../src/testing.ts'
import { ClientBook } from './clientBook.ts'
import type { Fact, Moment, SeenRun, SeenStop, SeenTerm } from './facts.ts'
import { machineWork } from './machineWork.ts'
import { DRIFT, type Duty, dutyOf, type Fault, LEASE_MS, leasesOf, type NodePlan, type Plan, RENEW_MS } from './plan.ts'
import type { Sabotage } from './sabotage/sabotage.ts'
import { StoreBook } from './storeBook.ts'
import { strike } from './strikes.ts'
import { Troubles } from './troubles.ts'
import { perform } from './work.ts'

/** A duty that was declared on a node. */
interface Engagement {
  readonly duty: Duty
  readonly task: Task | GroupTask
  isWanted: boolean
  /** Since it was declared, or its client started again. */
  sinceMs: number
  stoppedAtMs?: number
}

/** More runs of one term in one instant are an endless loop. */
const MOST_RUNS_AT_ONCE = 100

export class Cluster {
  readonly plan: Plan
  readonly simulation: Simulation
  /** What the store has, by all that it was asked and has answered. */
  readonly book: StoreBook
  /** What the clients have published of themselves. */
  readonly clients = new ClientBook()
  /** Every term that was ever started, in order. */
  readonly terms: SeenTerm[] = []
  /** What has struck so far. */
  readonly faults: Fault[] = []
  readonly #create: NonNullable<Sabotage['create']>
  readonly #see: (fact: Fact) => void
  readonly #troubles: Troubles
  /** By the process: a crash ends them all. */
  readonly #engagements = new Map<object, Map<string, Engagement>>()
  readonly #byToken = new Map<number, SeenTerm>()
  readonly #sleepers = new Map<object, number>()
  /** Whose clients were told to stop, and not yet to start again. */
  readonly #stopped = new Set<object>()
  /** What people have begun and not finished, by process. */
  readonly #errands = new Map<object, number>()
  readonly #deadlinesAsleep = new Map<number, number>()

  constructor(plan: Plan, see: (fact: Fact) => void, { create = createSimba, backend }: Partial<Sabotage> = {}) {
    this.plan = plan
    this.#see = see
    this.#create = create
    this.#troubles = new Troubles(plan)
    this.book = new StoreBook(plan.storeRate)
    this.simulation = createSimulation({
      seed: plan.seed,
      storeClock: { rate: plan.storeRate },
      weather: plan.weather,
      backend,
    })
    this.simulation.store.watch((executed) => {
      this.book.note(executed, this.nowMs)
      see({ type: 'executed', executed })
    })
    for (const nodePlan of plan.nodes) this.add(nodePlan)
    for (const fault of plan.faults) this.simulation.time.after(fault.atMs, () => this.strike(fault))
  }

  add({ name, rate, wallMs, duties }: NodePlan): SimulatedNode {
    const node = this.simulation.node(name ?? `node-${this.simulation.nodes.length}`, {
      simba: { leaseDuration: LEASE_MS, renewInterval: RENEW_MS, drift: DRIFT },
      clock: { rate, wallMs },
      create: (options) => this.#create({ ...options, logger: this.#listening(options) }),
      boot: (node) => this.#boot(node, duties),
    })
    node.link.watch((executed) => this.#see({ type: 'answered', node, executed }))
    return node
  }

  /** The fault happens now, whenever its plan would have it. */
  strike(fault: Fault): void {
    this.faults.push(fault)
    strike(this, fault)
  }

  get nowMs(): number {
    return this.simulation.time.nowMs
  }

  /** Whether the node runs, its client too, and means to do the duty. */
  isWanted(node: SimulatedNode, duty: Duty): boolean {
    const { process } = node
    return !process.isCrashed && !this.#stopped.has(process) && (this.engagement(node, duty)?.isWanted ?? false)
  }

  engagement({ process }: Pick<SimulatedNode, 'process'>, duty: Duty): Engagement | undefined {
    return this.#engagements.get(process)?.get(duty.name)
  }

  /** Whether somebody has set the wall clock of the node forward, which counts as time that has passed there and nobody outside can tell. */
  isSetForward(name: string): boolean {
    const { nodes } = this.simulation
    return this.faults.some(
      (fault) => fault.kind === 'wall-step' && fault.byMs > 0 && nodes[fault.node % nodes.length]!.name === name,
    )
  }

  /** Since when nothing is wrong with the node, the store and the way between them; Infinity while something is, or nobody can know. */
  fairSinceMs(node: SimulatedNode): number {
    if (this.plan.nodes.length === 0) return Number.POSITIVE_INFINITY
    return this.#troubles.fairSinceMs(this.simulation.nodes.indexOf(node), this.nowMs)
  }

  /** When the node has nothing more to do with its last trouble: its session has run out, and it has opened another one. 0 where it never had any. */
  recoveredAtMs(node: SimulatedNode): number {
    const fairSinceMs = this.fairSinceMs(node)
    return fairSinceMs === 0 ? 0 : fairSinceMs + LEASE_MS + 2 * RENEW_MS
  }

  /** When the term runs out as things stand, in true time. The clock of a machine that sleeps is not read: nobody could. */
  deadlineMs({ node, term, token }: SeenTerm): number {
    if (!node.clock.isAsleep) return this.nowMs + term.remainingMs / node.clock.rate
    return this.#deadlinesAsleep.get(token) ?? Number.POSITIVE_INFINITY
  }

  /** A machine is about to sleep. */
  keepDeadlines(node: SimulatedNode): void {
    for (const term of this.terms) if (term.node === node) this.#deadlinesAsleep.set(term.token, this.deadlineMs(term))
  }

  /** Whether the store has a session of a process that is no more. */
  get hasGhosts(): boolean {
    const { nodes } = this.simulation
    return this.book.sessions(this.nowMs).some(({ node: name, sentAtMs }) => {
      const { process } = nodes.find((node) => node.name === name)!
      return process.isCrashed || sentAtMs < this.clients.bornAtMs(process)
    })
  }

  /** How many timers of this process are the cluster's own: of leader work, and of people who come back later. */
  sleepers(process: object): number {
    return this.#sleepers.get(process) ?? 0
  }

  /** Every client is told to stop, and has three lease durations for it. */
  async stopAll(): Promise<void> {
    const { nodes, time } = this.simulation
    const stops = nodes
      .filter(({ process }) => !process.isCrashed)
      .map((node) => {
        this.#wantNothing(node)
        return this.#stop(node, undefined, false, () => node.simba.stop())
      })
    await time
      .until(Promise.all(stops), 3 * LEASE_MS)
      .catch(() => this.simulation.log.note('CHECK', 'not all have stopped'))
  }

  /** An election, or the first partition that the node has. */
  stepDown(node: SimulatedNode, duty: Duty): void {
    if (!this.isWanted(node, duty)) return
    const { task } = this.engagement(node, duty)!
    const lease = 'partitions' in task ? leasesOf(duty)[task.partitions()[0] ?? 0]! : duty.name
    const actor = 'partitions' in task ? task.actorOf(task.partitions()[0] ?? 0) : task.actor
    if (!actor) return
    this.simulation.log.note(node.name, `is asked to step down from ${lease}`)
    this.#see({ type: 'step-down.asked', node, lease })
    actor.send({ type: 'STEP_DOWN' })
  }

  /** Whether hints may be lost or late. */
  get hintsFail(): boolean {
    return this.faults.some(({ kind }) => kind === 'weather')
  }

  /** Whether people have yet to start again what they have stopped. */
  get isUnfinished(): boolean {
    return this.simulation.nodes.some(({ process }) => !process.isCrashed && (this.#errands.get(process) ?? 0) > 0)
  }

  /** Returns what starts the client again. */
  async stopClient(node: SimulatedNode): Promise<() => void> {
    const { simba, process } = node
    const wanted = this.#wantNothing(node)
    this.#stopped.add(process)
    await this.#stop(node, undefined, false, () => simba.stop())
    return () => {
      this.simulation.log.note(node.name, 'is started again')
      this.#stopped.delete(process)
      for (const engagement of wanted) engagement.isWanted = true
      for (const engagement of this.#engagements.get(process)!.values()) engagement.sinceMs = this.nowMs
      this.clients.started(node, this.nowMs)
      this.#see({ type: 'started', node })
      simba.send({ type: 'START' })
    }
  }

  /** Stops the client, and starts it again after a while, unless somebody else is about to. */
  stopAndStartAgain(node: SimulatedNode, forMs: number): Promise<void> {
    if (this.#stopped.has(node.process)) return this.#stop(node, undefined, false, () => node.simba.stop())
    return this.#errand(node.process, async () => {
      const startAgain = await this.stopClient(node)
      await this.sleep(node, forMs)
      startAgain()
    })
  }

  /** Stops one task, and declares it again after a while. */
  stopAndEngageAgain(node: SimulatedNode, duty: Duty, forMs: number): Promise<void> {
    return this.#errand(node.process, async () => {
      await this.stopTask(node, duty)
      await this.sleep(node, forMs)
      this.simulation.log.note(node.name, `is given ${duty.name} again`)
      this.engage(node, duty)
    })
  }

  /** Stops one task and declares it again, several times. */
  flicker(node: SimulatedNode, duty: Duty, { times, eachMs }: { times: number; eachMs: number }): Promise<void> {
    return this.#errand(node.process, async () => {
      for (let time = 0; time < times && this.isWanted(node, duty); time++) {
        await this.stopAndEngageAgain(node, duty, eachMs)
        await this.sleep(node, eachMs)
      }
    })
  }

  async sleep(node: SimulatedNode, ms: number, signal?: AbortSignal): Promise<void> {
    const { process } = node
    this.#sleepers.set(process, this.sleepers(process) + 1)
    await node.sleep(ms, signal)
    this.#sleepers.set(process, this.sleepers(process) - 1)
  }

  /** A log in which the library says when it has failed itself. */
  #listening({ logger, node = '' }: SimbaOptions): Logger {
    return {
      ...logger!,
      error: (details, message) => {
        logger!.error(details, message)
        if (message.includes('a defect')) this.#see({ type: 'machine.failed', node, message })
      },
    }
  }

  async #errand(process: object, run: () => Promise<void>): Promise<void> {
    this.#errands.set(process, (this.#errands.get(process) ?? 0) + 1)
    await run()
    this.#errands.set(process, this.#errands.get(process)! - 1)
  }

  #boot(node: SimulatedNode, duties?: readonly string[]): void {
    this.#engagements.set(node.process, new Map())
    node.simba.on('*', (event) => this.#hear(node, event))
    this.clients.started(node, this.nowMs)
    this.#see({ type: 'started', node })
    for (const duty of this.plan.duties) if (duties?.includes(duty.name) ?? true) this.engage(node, duty)
  }

  /** Declares the duty on the node's client. */
  engage(node: SimulatedNode, duty: Duty): void {
    const { name, partitions, balance, schedule } = duty
    const work = duty.work.kind === 'machine' ? this.#machine(node, duty) : (term: Term) => this.#work(node, term)
    const plan =
      schedule && { fixedRate, fixedDelay }[schedule.kind](schedule.everyMs, { initialDelay: schedule.initialDelayMs })
    const leader = partitions ? node.simba.group(name, { partitions, balance }) : node.simba.election(name)
    const task = plan ? leader.schedule(plan, work) : leader.runWhileLeader(work)
    this.clients.engaged(node, (lease) => leasesOf(duty).includes(lease))
    this.#engagements.get(node.process)!.set(name, { duty, task, isWanted: true, sinceMs: this.nowMs })
  }

  #hear(node: SimulatedNode, event: SimbaEvent): void {
    this.clients.note(node, event, this.nowMs)
    if (event.type === 'term.started') this.#begin(node, event)
    const term = 'token' in event ? this.#byToken.get(event.token) : undefined
    if (event.type === 'term.revoked' && term) {
      term.revoked = { ...this.#moment(node), reason: event.reason, deadlineMs: this.deadlineMs(term) }
      this.#see({ type: 'term.revoked', term })
    }
    if (event.type === 'term.ended' && term) {
      term.ended = this.#moment(node)
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
    const duty = dutyOf(this.plan, key.lease)
    const { task } = this.engagement(node, duty)!
    const term = typeof task.term === 'function' ? task.term(key.partition!) : task.term
    if (!term) throw new Error(`The handle of ${duty.name} knows of no term when it has just started.`)
    const seen: SeenTerm = { ...key, node, process: node.process, duty, term, startedAtMs: this.nowMs, runs: [] }
    this.terms.push(seen)
    this.#byToken.set(key.token, seen)
    this.#see({ type: 'term.started', term: seen })
  }

  async #work(node: SimulatedNode, term: Term): Promise<void> {
    const { run, exit } = this.#enter(node, term)
    const { runs } = run.of
    // Time would stand still for ever.
    if (runs.at(-MOST_RUNS_AT_ONCE)?.startedAtMs === this.nowMs) await new Promise(() => {})
    try {
      await perform(run.of.duty, term, {
        sleep: (ms, signal) => this.sleep(node, ms, signal),
        look: () => this.#see({ type: 'run.looked', run }),
        stopTask: () => this.stopTask(node, run.of.duty, true),
      })
      exit()
    } catch (thrown) {
      exit({ thrown })
      throw thrown
    }
  }

  #machine(node: SimulatedNode, duty: Duty) {
    return machineWork(duty, {
      enter: (term) => this.#enter(node, term).exit,
      sleep: (ms) => this.sleep(node, ms),
    })
  }

  /** A run has begun. Returns what notes its end. */
  #enter(node: SimulatedNode, term: Term): { run: SeenRun; exit: (how?: { readonly thrown: unknown }) => void } {
    const of = this.#byToken.get(term.token)
    if (!of) throw new Error(`Work was given the term ${term.token}, which has not started.`)
    const run: SeenRun = { of, term, startedAtMs: this.nowMs, heldMs: node.heldMs }
    of.runs.push(run)
    this.#see({ type: 'run.started', run })
    const interrupted = () => {
      run.interrupted = this.#moment(node)
      this.#see({ type: 'run.interrupted', run })
    }
    if (term.signal.aborted) interrupted()
    else term.signal.addEventListener('abort', interrupted)
    const exit = (how?: { readonly thrown: unknown }) => {
      run.exited = { ...this.#moment(node), ...how }
      term.signal.removeEventListener('abort', interrupted)
      this.#see({ type: 'run.exited', run })
    }
    return { run, exit }
  }

  #moment({ heldMs }: SimulatedNode): Moment {
    return { atMs: this.nowMs, heldMs }
  }

  /** Returns what was wanted until now. */
  #wantNothing({ process }: SimulatedNode): readonly Engagement[] {
    const wanted = [...this.#engagements.get(process)!.values()].filter(({ isWanted }) => isWanted)
    for (const engagement of wanted) engagement.isWanted = false
    return wanted
  }

  stopTask(node: SimulatedNode, duty: Duty, isFromInside = false): Promise<void> {
    const engagement = this.engagement(node, duty)!
    engagement.isWanted = false
    return this.#stop(node, duty, isFromInside, () => engagement.task.stop())
  }

  /** Twice is as good as once. */
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
    await Promise.all([ask(), ask()])
    this.simulation.log.note(node.name, `has stopped ${duty?.name ?? 'everything'}`)
    const engagement = duty && this.engagement({ process }, duty)
    if (engagement && !isFromInside) engagement.stoppedAtMs = this.nowMs
    if (!duty) this.clients.stopped(node, this.nowMs)
    this.#see({ type: 'stop.done', stop })
  }
}
