/** A machine of a simulated world with one client on it. It can pause, sleep, crash, come back, and have its wall clock set. */
import type { SimbaEvent } from '../model/events.ts'
import type { Logger } from '../model/logger.ts'
import type { SimbaOptions } from '../runtime/settings.ts'
import { createSimba, type Simba } from '../runtime/simba.ts'
import { Link } from './link.ts'
import type { LineSubject, SimulationLog, What } from './log.ts'
import { type ClockTraits, MachineClock } from './machineClock.ts'
import { SimulatedProcess } from './process.ts'
import type { Random } from './random.ts'
import type { SimulatedStore } from './store.ts'
import type { VirtualTime } from './virtualTime.ts'
import type { Weather } from './weather.ts'

export interface NodeOptions {
  /** Options of the client that are not the simulation's own. */
  readonly simba?: Omit<SimbaOptions, 'backend' | 'node' | 'environment' | 'logger'>
  /** Makes each client, where your program has a function of its own for that. Default: `createSimba`. */
  readonly create?: (options: SimbaOptions) => Simba
  readonly clock?: ClockTraits
  /**
   * Declares what the node does: called with each new client, the first one and those after a crash. The client is started right
   * afterwards.
   */
  readonly boot?: (node: SimulatedNode) => void
}

export interface World {
  readonly time: VirtualTime
  readonly random: Random
  readonly store: SimulatedStore
  readonly log: SimulationLog
  readonly weather: Weather
}

export class SimulatedNode {
  readonly name: string
  readonly clock: MachineClock
  readonly link: Link
  readonly #world: World
  readonly #options: NodeOptions
  readonly #note: (what: What, subject?: LineSubject) => void
  #process: SimulatedProcess
  #simba: Simba
  #lives = 0
  #heldMs = 0
  #wakeUp: () => void = () => {}

  constructor(world: World, name: string, options: NodeOptions = {}) {
    this.name = name
    this.#world = world
    this.#options = options
    this.#note = (what, subject) => world.log.note(name, what, subject)
    this.clock = new MachineClock(world.time, options.clock)
    const { time, store, random, weather } = world
    this.link = new Link({
      node: name,
      time,
      process: () => this.#process,
      store,
      random: random.fork(`link of ${name}`),
      weather,
      note: this.#note,
    })
    this.#process = new SimulatedProcess(time, this.clock)
    this.#simba = this.#boot()
  }

  /** The client of the node's present life. */
  get simba(): Simba {
    return this.#simba
  }

  get process(): SimulatedProcess {
    return this.#process
  }

  /** Counts the clients of this node, from 1. */
  get life(): number {
    return this.#lives
  }

  /** For how long nothing ran here, paused or asleep, in all. */
  get heldMs(): number {
    return this.#heldMs
  }

  /** For leader work: resolves after this long by the clock of this machine. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const process = this.#process
      const wake = () => {
        process.clearTimer(timer)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      const timer = process.setTimer(wake, ms)
      signal?.addEventListener('abort', wake)
    })
  }

  /** Nothing runs for so long: a stopped process, a blocked event loop. Then all timers are overdue. */
  pause(ms: number): void {
    this.#hold(ms, 'pauses')
  }

  /** The machine sleeps: its monotonic clock stands still, its wall clock goes on. */
  suspend(ms: number): void {
    if (!this.#hold(ms, 'sleeps')) return
    this.#process.disarm()
    this.clock.sleep()
  }

  stepWall(ms: number): void {
    this.#note(`its wall clock is set by ${ms} ms`)
    this.clock.stepWall(ms)
  }

  /** The process is killed. What it has sent goes its way. */
  crash(): void {
    if (this.#process.isCrashed) return
    this.#wakeUp()
    this.#note('crashes')
    this.#process.crash()
    this.link.drop()
  }

  /** A new process with a new client, which knows nothing of the one before. */
  restart(): void {
    if (!this.#process.isCrashed) return
    this.#process = new SimulatedProcess(this.#world.time, this.clock)
    this.#simba = this.#boot()
  }

  #hold(ms: number, what: string): boolean {
    const process = this.#process
    if (process.isCrashed || process.isHeld) return false
    this.#note(`${what} for ${ms} ms`)
    process.hold()
    const { time } = this.#world
    const sinceMs = time.nowMs
    const cancel = time.after(ms, () => this.#wakeUp())
    this.#wakeUp = () => {
      cancel()
      this.#wakeUp = () => {}
      this.#heldMs += time.nowMs - sinceMs
      if (this.clock.isAsleep) {
        this.clock.wake()
        process.rearm()
      }
      this.#note('goes on')
      process.go()
    }
    return true
  }

  #boot(): Simba {
    this.#lives += 1
    this.#note(`begins its life ${this.#lives}`)
    const { create = createSimba } = this.#options
    const simba = create({
      ...this.#options.simba,
      backend: this.link.backend,
      node: this.name,
      logger: this.#logger(),
      environment: {
        time: this.#process,
        random: this.#world.random.fork(`${this.name}, life ${this.#lives}`).next,
      },
    })
    simba.on('*', (event) => this.#note(() => described(event), { event }))
    this.#simba = simba
    this.#options.boot?.(this)
    simba.send({ type: 'START' })
    return simba
  }

  #logger(): Logger {
    const noteLine = (level: string) => (details: object, message: string) => {
      const failure = (details as { readonly err?: Partial<Error> }).err
      this.#note(`${level}: ${message}${failure ? ` ${failure.name}: ${failure.message}` : ''}`)
    }
    return { debug() {}, info: noteLine('info'), warn: noteLine('warn'), error: noteLine('error') }
  }
}

function described({ type, ...facts }: SimbaEvent): string {
  return `${type} ${JSON.stringify(facts)}`
}
