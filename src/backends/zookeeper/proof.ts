/**
 * Since when the ensemble counts the session's time, as far as its answers prove it. A server answers reads and pings by itself, and
 * tells the leader of the sessions that it has heard of only now and then; so an answer alone proves nothing about the leader.
 *
 * What does: a write that was committed, on the connection on which something was answered a tick before. The server has told the leader of
 * that, in front of the write. A session that was begun or resumed is known to the leader at once.
 */
import type { Clock } from '../../model/clock.ts'

/** When something was sent, and when its answer was read. */
interface Contact {
  readonly sentMs: number
  readonly answeredMs: number
}

/** More are of no use: the next write needs one that is a tick old. */
const CONTACTS_PER_TICK = 8
const MOST_CONTACTS = 8 * CONTACTS_PER_TICK

export class Proof {
  readonly #tickMs: number
  readonly #clock: Clock
  #contacts: Contact[] = []
  #provenMs = Number.NEGATIVE_INFINITY

  constructor(tickMs: number, clock: Clock) {
    this.#tickMs = tickMs
    this.#clock = clock
  }

  /** A connection was made. What was heard on another one has no order with what follows. */
  connected(greetedMs: number): void {
    // The leader itself has begun or resumed the session: as good as anything that is a tick old.
    this.#contacts = [{ sentMs: greetedMs, answeredMs: Number.NEGATIVE_INFINITY }]
  }

  /** Something was answered. */
  answered(sentMs: number): void {
    const last = this.#contacts.at(-1)
    if (last && sentMs - last.sentMs < this.#tickMs / CONTACTS_PER_TICK) return
    this.#contacts.push({ sentMs, answeredMs: this.#clock.now() })
    // The first one is the only one that may be old enough already.
    if (this.#contacts.length > MOST_CONTACTS) this.#contacts.splice(1, 1)
  }

  /** A write was committed. */
  committed(sentMs: number): void {
    const proven = this.#contacts.findLastIndex(({ answeredMs }) => answeredMs <= sentMs - this.#tickMs)
    if (proven < 0) return
    this.#provenMs = Math.max(this.#provenMs, this.#contacts[proven]!.sentMs)
    this.#contacts.splice(0, proven)
  }

  /**
   * How long before `sentMs` the time begins that the ensemble is known to count. One tick is taken off, in which a leader that stood still
   * catches up with what it was told.
   */
  agoMs(sentMs: number): number {
    return Math.max(0, sentMs - this.#provenMs) + this.#tickMs
  }
}
