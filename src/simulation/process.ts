/**
 * One life of a process on a simulated machine: its timers, and the door through which everything reaches it. While the process is
 * held, all that comes waits in front of the door; once it has crashed, nothing comes in any more.
 */
import type { TimeSource } from '../runtime/clock/clock.ts'
import type { MachineClock } from './machineClock.ts'
import type { VirtualTime } from './virtualTime.ts'

interface Timer {
  readonly dueMs: number
  readonly callback: () => void
  cancel: () => void
}

export class SimulatedProcess implements TimeSource {
  readonly #time: VirtualTime
  readonly #clock: MachineClock
  readonly #timers = new Set<Timer>()
  readonly #atTheDoor: (() => void)[] = []
  #state: 'running' | 'held' | 'crashed' = 'running'

  constructor(time: VirtualTime, clock: MachineClock) {
    this.#time = time
    this.#clock = clock
  }

  get isCrashed(): boolean {
    return this.#state === 'crashed'
  }

  get isHeld(): boolean {
    return this.#state === 'held'
  }

  /** How many timers are set. */
  get timers(): number {
    return this.#timers.size
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs()
  }

  wallMs(): number {
    return this.#clock.wallMs()
  }

  setTimer(callback: () => void, ms: number): unknown {
    const timer: Timer = { dueMs: this.monotonicMs() + Math.max(0, ms), callback, cancel: () => {} }
    this.#timers.add(timer)
    if (this.#state !== 'crashed') this.#arm(timer)
    return timer
  }

  clearTimer(timer: unknown): void {
    const known = timer as Timer
    known.cancel()
    this.#timers.delete(known)
  }

  /** Something reaches the process from outside. */
  enter(callback: () => void): void {
    if (this.#state === 'running') callback()
    else if (this.#state === 'held') this.#atTheDoor.push(callback)
  }

  hold(): void {
    if (this.#state === 'running') this.#state = 'held'
  }

  /** Runs again: what has come meanwhile gets in one by one. */
  go(): void {
    if (this.#state !== 'held') return
    this.#state = 'running'
    for (const callback of this.#atTheDoor.splice(0)) this.#time.after(0, () => this.enter(callback))
  }

  crash(): void {
    this.#state = 'crashed'
    this.#atTheDoor.length = 0
    this.disarm()
  }

  /** Timers count by the monotonic clock: before it stands still, and after it goes on, they are set anew. */
  disarm(): void {
    for (const timer of this.#timers) timer.cancel()
  }

  rearm(): void {
    if (this.#state === 'crashed') return
    for (const timer of this.#timers) this.#arm(timer)
  }

  #arm(timer: Timer): void {
    timer.cancel = this.#time.after(this.#clock.trueMsUntil(timer.dueMs), () => this.enter(() => this.#fire(timer)))
  }

  #fire(timer: Timer): void {
    // Cleared while it waited at the door.
    if (this.#timers.delete(timer)) timer.callback()
  }
}
