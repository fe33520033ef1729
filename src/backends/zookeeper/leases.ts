/** All leases that a session has to do with. */
import { SimbaError } from '../../model/errors.ts'
import type { Grant } from '../port.ts'
import type { Desk } from './desk.ts'
import { Lease } from './lease.ts'
import { candidatePrefix } from './paths.ts'

/**
 * When a session ends, the server writes the paths of all its nodes down in one transaction, and a transaction that is too large stops
 * the whole ensemble. By default it may have 2 MB.
 */
const MOST_PATH_BYTES = 1_500_000
/** What the server appends to a candidate's name, and writes in front of a path. */
const MORE_BYTES = 15

/** How many leases are looked at with a renewal: each is a read that any server answers from its memory. */
const MOST_GLANCES = 64

export class Leases {
  readonly #desk: Desk
  readonly #leases = new Map<string, Lease>()
  #pathBytes = 0
  #glances = 0

  constructor(desk: Desk) {
    this.#desk = desk
  }

  async with<A>(name: string, command: (lease: Lease) => Promise<A>): Promise<A> {
    const lease = this.#leases.get(name) ?? this.#add(name)
    try {
      return await command(lease)
    } finally {
      this.#tidy(name, lease)
    }
  }

  /** Those that are offered to this session. */
  freed(): readonly string[] {
    return [...this.#leases].flatMap(([name, lease]) => (lease.isOffered ? [name] : []))
  }

  holds(): readonly Grant[] {
    return [...this.#leases].flatMap(([lease, { token }]) => (token === null ? [] : [{ lease, token }]))
  }

  mend(): void {
    for (const [name, lease] of this.#leases) {
      lease.mend()
      this.#tidy(name, lease)
    }
  }

  /** Once per renew interval, for some of those that are waited for, in turn. */
  glance(): void {
    const waiting = [...this.#leases.values()].filter(({ isWaiting }) => isWaiting)
    const count = Math.min(waiting.length, MOST_GLANCES)
    for (let index = 0; index < count; index++) {
      void waiting[(this.#glances + index) % waiting.length]!.glance().catch(() => {})
    }
    this.#glances += count
  }

  async settled(): Promise<void> {
    await Promise.all([...this.#leases.values()].map((lease) => lease.settled()))
  }

  #add(name: string): Lease {
    const bytes = this.#bytesOf(name)
    if (this.#pathBytes + bytes > MOST_PATH_BYTES) {
      throw new SimbaError(
        'BACKEND_UNAVAILABLE',
        `ZooKeeper: with ${this.#leases.size} leases this session has as many as an ensemble can carry; use a second client, or shorter names`,
      )
    }
    const lease = new Lease(this.#desk, name)
    this.#leases.set(name, lease)
    this.#pathBytes += bytes
    return lease
  }

  #tidy(name: string, lease: Lease): void {
    if (lease.isBlank && this.#leases.delete(name)) this.#pathBytes -= this.#bytesOf(name)
  }

  /** As if it were a candidate, which has the longest path. */
  #bytesOf(name: string): number {
    const { paths, session } = this.#desk
    return paths.line(name).length + candidatePrefix(session).length + MORE_BYTES
  }
}
