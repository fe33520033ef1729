/** What one namespace knows of the server's restarts: after one, grants may have been forgotten, and nothing is granted for a while. */

/** One life of the server, from its start to its end. */
export interface ServerRun {
  readonly id: number
  /** -Infinity where there was nothing before that could have been forgotten. */
  readonly startedAtMs: number
}

export class Quarantine {
  #run: number | undefined
  #epoch = 0
  #untilMs = Number.NEGATIVE_INFINITY
  #longestLeaseMs = 0
  /** The end is reckoned from the start of the server, since nothing was found that tells of the time before. */
  #isFromStart = false

  get epoch(): number {
    return this.#epoch
  }

  /** A session with this lease duration meets the server. */
  meet(run: ServerRun, leaseDurationMs: number, nowMs: number): void {
    const isLonger = leaseDurationMs > this.#longestLeaseMs
    this.#longestLeaseMs = Math.max(this.#longestLeaseMs, leaseDurationMs)
    if (this.#run === undefined) this.#begin(run, run.startedAtMs + this.#longestLeaseMs, true)
    else if (this.#run !== run.id) this.#begin(run, nowMs + this.#longestLeaseMs, false)
    else if (isLonger && this.#isFromStart && this.remainingMs(nowMs) > 0) {
      this.#untilMs = run.startedAtMs + this.#longestLeaseMs
    }
    // A clock that has stepped back must not make it longer.
    this.#untilMs = Math.min(this.#untilMs, nowMs + this.#longestLeaseMs)
  }

  /** How long nothing is granted yet; 0 where it is over. */
  remainingMs(nowMs: number): number {
    return Math.max(0, this.#untilMs - nowMs)
  }

  #begin(run: ServerRun, untilMs: number, isFromStart: boolean): void {
    this.#run = run.id
    this.#epoch += 1
    this.#untilMs = untilMs
    this.#isFromStart = isFromStart
  }
}
