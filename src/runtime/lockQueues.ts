/** Who of this client waits for which lock: one after the other, since the store knows the whole client as one candidate. */
import { SimbaError } from '../model/errors.ts'
import type { Tasks } from './tasks.ts'

/** One waiter. */
export interface Turn {
  /** Resolves when everybody before has left; rejects with `STOPPED` when the client stops before that. */
  readonly come: Promise<void>
  /** Throws `STOPPED` where the client was stopped when the turn had come, but not been taken yet. */
  take(): void
  /** Lets the next one come. Twice is as good as once. */
  leave(): void
}

interface Waiter {
  readonly come: () => void
  readonly reject: (error: SimbaError) => void
  isRejected: boolean
}

export class LockQueues {
  readonly #tasks: Tasks
  readonly #byLease = new Map<string, Waiter[]>()

  constructor(tasks: Tasks) {
    this.#tasks = tasks
  }

  /** Stands in line. Throws `ALREADY_STARTED` where an election or a group of this client has the name. */
  enter(lease: string): Turn {
    let line = this.#byLease.get(lease)
    if (!line) {
      this.#tasks.claimLease(lease)
      line = []
      this.#byLease.set(lease, line)
    }
    let waiter!: Waiter
    const come = new Promise<void>((resolve, reject) => {
      waiter = { come: resolve, reject, isRejected: false }
    })
    // A turn may be rejected when nobody has got to awaiting it yet.
    come.catch(() => {})
    line.push(waiter)
    if (line[0] === waiter) waiter.come()
    return {
      come,
      take() {
        if (waiter.isRejected) throw stoppedWaiting(lease)
      },
      leave: () => this.#leave(lease, waiter),
    }
  }

  /** The client stops: whoever has not taken their turn will not get it. */
  rejectAll(): void {
    for (const [lease, line] of this.#byLease) {
      for (const waiter of line) {
        waiter.isRejected = true
        waiter.reject(stoppedWaiting(lease))
      }
    }
  }

  #leave(lease: string, waiter: Waiter): void {
    const line = this.#byLease.get(lease)
    const place = line?.indexOf(waiter) ?? -1
    if (!line || place < 0) return
    line.splice(place, 1)
    if (line.length === 0) {
      this.#byLease.delete(lease)
      this.#tasks.releaseLease(lease)
    } else if (place === 0) {
      line[0]?.come()
    }
  }
}

export function stoppedWaiting(lease: string): SimbaError {
  return new SimbaError('STOPPED', `The client was stopped while somebody waited for the lock '${lease}'.`)
}
