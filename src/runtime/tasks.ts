/** What was declared on a client: which names are taken, and who waits for a task to end. */
import { SimbaError } from '../model/errors.ts'
import { partitionOf } from '../model/names.ts'

interface Declared {
  readonly ended: Promise<void>
  readonly resolve: () => void
  readonly cleanUp: () => void
}

export class Tasks {
  readonly #declared = new Map<string, Declared>()
  readonly #leases = new Set<string>()
  readonly #groups = new Map<string, number>()
  readonly #waiting: (() => void)[] = []
  #number = 0

  /** Counts declarations. */
  nextNumber(): number {
    return this.#number++
  }

  /** Takes the name of a lease; throws `ALREADY_STARTED` where something of this client has it. */
  claimLease(lease: string): void {
    const owner = this.#leases.has(lease) ? `'${lease}'` : this.#groupOf(lease)
    if (owner) throw alreadyStarted(lease, owner)
    this.#leases.add(lease)
  }

  releaseLease(lease: string): void {
    this.#leases.delete(lease)
  }

  claimGroup(group: string, partitions: number): void {
    if (this.#groups.has(group)) throw alreadyStarted(group, `the group '${group}'`)
    for (const lease of this.#leases) {
      if (partitionOf(group, partitions, lease) !== null) throw alreadyStarted(group, `'${lease}'`)
    }
    this.#groups.set(group, partitions)
  }

  releaseGroup(group: string): void {
    this.#groups.delete(group)
  }

  #groupOf(lease: string): string | undefined {
    for (const [group, partitions] of this.#groups) {
      if (partitionOf(group, partitions, lease) !== null) return `the group '${group}'`
    }
    return undefined
  }

  /** From here on somebody may wait for the end of the task. `cleanUp` is called once, when it has ended. */
  declare(id: string, cleanUp: () => void): void {
    let resolve!: () => void
    const ended = new Promise<void>((done) => {
      resolve = done
    })
    this.#declared.set(id, { ended, resolve, cleanUp })
  }

  /** Resolves when the task has ended, at once where it is not known. */
  async ended(id: string): Promise<void> {
    await this.#declared.get(id)?.ended
  }

  end(id: string): void {
    const declared = this.#declared.get(id)
    this.#declared.delete(id)
    declared?.cleanUp()
    declared?.resolve()
  }

  isDeclared(id: string): boolean {
    return this.#declared.has(id)
  }

  /** Resolves when the client has stopped the next time. A START may follow at once, so being stopped is no state to look for. */
  allEnded(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** The client has stopped: every task has ended but these, which begin again with the next START. */
  endAllBut(ids: readonly string[]): void {
    const staying = new Set(ids)
    for (const id of [...this.#declared.keys()]) if (!staying.has(id)) this.end(id)
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

function alreadyStarted(name: string, owner: string): SimbaError {
  return new SimbaError(
    'ALREADY_STARTED',
    `'${name}' cannot be started: this client has started ${owner} already, and its stop is not complete.`,
  )
}
