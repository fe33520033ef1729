/** How long each step of a handover took: from the interrupt to the exit of the work, and from there to the release. */
import type { TermIdentity } from './term.ts'

interface Steps {
  readonly token: number
  readonly interruptedMs: number
  exitedMs: number
}

export class Handovers {
  readonly #byLease = new Map<string, Steps>()

  interrupted({ lease, token }: TermIdentity, nowMs: number): void {
    this.#byLease.set(lease, { token, interruptedMs: nowMs, exitedMs: nowMs })
  }

  exited({ lease, token }: TermIdentity, nowMs: number): void {
    const steps = this.#byLease.get(lease)
    if (steps?.token === token) steps.exitedMs = nowMs
  }

  /** Nothing where the term was not handed over, but lost. */
  released({ lease, token }: TermIdentity, nowMs: number): { workMs: number; releaseMs: number } | undefined {
    const steps = this.#byLease.get(lease)
    if (steps?.token !== token) return undefined
    this.#byLease.delete(lease)
    return { workMs: steps.exitedMs - steps.interruptedMs, releaseMs: nowMs - steps.exitedMs }
  }
}
