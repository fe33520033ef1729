/** The store of a simulated world, with a clock of its own: it can freeze, restart and lose its data. */
import type { MemoryBackend } from '../backends/memory/index.ts'
import type { Backend } from '../backends/port.ts'
import type { Clock } from '../model/clock.ts'
import type { ClockTraits } from './machineClock.ts'
import { MachineClock } from './machineClock.ts'
import type { VirtualTime } from './virtualTime.ts'

/** A command that the store has carried out. */
export interface Executed {
  readonly node: string
  /** In true time. */
  readonly sentAtMs: number
  /** The session's id; empty for what needs no session. */
  readonly session: string
  readonly method: string
  readonly args: readonly unknown[]
  /** `undefined` where the store refused. */
  readonly answer: unknown
}

export class SimulatedStore {
  readonly clock: MachineClock
  readonly #time: VirtualTime
  readonly #memory: MemoryBackend
  readonly #note: (what: string) => void
  readonly #restartListeners = new Set<() => void>()
  readonly #witnesses = new Set<(executed: Executed) => void>()
  #waiting: (() => void)[] = []
  #isFrozen = false

  constructor(
    time: VirtualTime,
    traits: ClockTraits,
    make: (clock: Clock) => MemoryBackend,
    note: (what: string) => void,
  ) {
    this.#time = time
    this.clock = new MachineClock(time, traits)
    this.#memory = make({ now: () => this.clock.monotonicMs(), wallMs: () => this.clock.wallMs() })
    this.#note = note
  }

  get backend(): Backend {
    return this.#memory
  }

  /** Hears of each command right after the store has carried it out. */
  watch(witness: (executed: Executed) => void): void {
    this.#witnesses.add(witness)
  }

  /** Answers nothing until it thaws, then everything that has come meanwhile, in order. */
  freeze(): void {
    if (this.#isFrozen) return
    this.#isFrozen = true
    this.#note('freezes')
  }

  thaw(): void {
    if (!this.#isFrozen) return
    this.#isFrozen = false
    this.#note('thaws')
    for (const step of this.#waiting.splice(0)) this.#time.after(0, () => this.reach(step))
  }

  /** Is a new process from now on. What has reached the old one and was not carried out is lost. */
  restart(data: 'kept' | 'lost'): void {
    this.#note(`restarts, its data ${data}`)
    this.#waiting = []
    this.#memory.restart({ data })
    for (const listener of this.#restartListeners) listener()
  }

  /** All connections break when the store is another process. */
  onRestart(listener: () => void): void {
    this.#restartListeners.add(listener)
  }

  /** A request arrives. */
  reach(step: () => void): void {
    if (this.#isFrozen) this.#waiting.push(step)
    else step()
  }

  executed(executed: Executed): void {
    for (const witness of this.#witnesses) witness(executed)
  }
}
