/** Timers for those machines of which there are thousands: one each, without an actor for every wait. */
import type { AnyActorRef } from 'xstate'
import type { TimerDue, WaitFor } from '../machines/scheduleLoop.ts'
import type { TimerClock } from '../model/clock.ts'

export class ActorTimers {
  readonly #clock: TimerClock
  readonly #cancels = new WeakMap<AnyActorRef, () => void>()

  constructor(clock: TimerClock) {
    this.#clock = clock
  }

  arm(actor: AnyActorRef, waitFor: WaitFor): void {
    const dueMs = 'atMs' in waitFor ? waitFor.atMs : this.#clock.now() + waitFor.afterMs
    this.#cancels.set(
      actor,
      this.#clock.wakeAt(dueMs, () => this.ring(actor, dueMs)),
    )
  }

  ring(actor: AnyActorRef, dueMs: number): void {
    const due: TimerDue = { type: 'timer.due', dueMs, nowMs: this.#clock.now() }
    actor.send(due)
  }

  disarm(actor: AnyActorRef): void {
    this.#cancels.get(actor)?.()
    this.#cancels.delete(actor)
  }
}
