/**
 * The term, as work in another thread sees it. Every question looks into the shared memory and at the clock, so that the answer is exact
 * while either thread is busy; in between, this thread's own timer looks, and the other thread gives a sign.
 */
import type { TermExpiredError } from '../../../model/errors.ts'
import { createClock } from '../../clock/clock.ts'
import { machineTime, remainingUntil } from '../../clock/machine.ts'
import type { Duration } from '../../durations.ts'
import { LiveTerm, type Term, type TermIdentity } from '../../term.ts'
import type { TermMemory } from './memory.ts'

export class ThreadTerm implements Term {
  readonly #memory: TermMemory
  readonly #live: LiveTerm
  readonly #clock = createClock({
    source: machineTime,
    // The client's own clock tells of it.
    onJump() {},
    onError(error) {
      throw error
    },
  })
  #count = -1
  #validUntilMs = 0
  #cancel = () => {}

  constructor(identity: TermIdentity, memory: TermMemory) {
    this.#memory = memory
    this.#live = new LiveTerm(identity, {
      now: () => this.#clock.now(),
      validUntilMs: () => this.#validUntilMs,
    })
    this.look()
  }

  get lease(): string {
    return this.#live.lease
  }

  get token(): number {
    return this.#live.token
  }

  get partition(): number | undefined {
    return this.#live.partition
  }

  get signal(): AbortSignal {
    this.look()
    return this.#live.signal
  }

  get revoked(): Promise<TermExpiredError> {
    this.look()
    return this.#live.revoked
  }

  get isValid(): boolean {
    this.look()
    return this.#live.isValid
  }

  get remainingMs(): number {
    this.look()
    return this.#live.remainingMs
  }

  ensureValid(expected?: Duration): void {
    this.look()
    this.#live.ensureValid(expected)
  }

  /** Takes in what has happened since the last look. */
  look(): void {
    if (this.#count !== this.#memory.count) this.#read()
    // Nobody has said so; but a thread that has seen its time run out must not find it extended a moment later.
    if (!this.#live.isRevoked && !this.#live.isValid) this.#live.cut('expired')
  }

  #read(): void {
    const { count, deadline, end } = this.#memory.read()
    this.#count = count
    this.#validUntilMs = this.#clock.now() + remainingUntil(deadline)
    this.#cancel()
    this.#cancel = this.#clock.wakeAt(this.#validUntilMs, () => this.look())
    if (end === undefined) return
    this.#live.revoke(end)
    // A handover that was under way when the session was lost has no time left.
    if (this.#validUntilMs <= this.#clock.now()) this.#live.cut(end)
  }
}
