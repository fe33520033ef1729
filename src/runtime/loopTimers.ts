/** The timers of schedule loops: one each, without an actor for every wait. */
import type { AnyActorRef } from 'xstate'
import type { TimerDue, WaitFor } from '../machines/scheduleLoop.ts'
import type { TimerClock } from '../model/clock.ts'

export class LoopTimers {
  readonly #clock: TimerClock
  readonly #cancels = new WeakMap<AnyActorRef, () => void>()

  constructor(clock: TimerClock) {
    this.#clock = clock
  }

  arm(loop: AnyActorRef, waitFor: WaitFor): void {
    const dueMs = 'atMs' in waitFor ? waitFor.atMs : this.#clock.now() + waitFor.afterMs
    const cancel = this.#clock.wakeAt(dueMs, () => {
      const due: TimerDue = { type: 'timer.due', dueMs, nowMs: this.#clock.now() }
      loop.send(due)
    })
    this.#cancels.set(loop, cancel)
  }

  disarm(loop: AnyActorRef): void {
    this.#cancels.get(loop)?.()
    this.#cancels.delete(loop)
  }
}
