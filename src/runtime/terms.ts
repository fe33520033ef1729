/** The terms that are alive on this client, by lease; and which leases an election answers for. */
import type { TermIdentity } from './term.ts'
import { LiveTerm, type Reign } from './term.ts'

export class Terms {
  readonly #byLease = new Map<string, LiveTerm>()
  readonly #enrolled = new Set<string>()
  readonly #watchers = new Set<() => void>()

  begin(identity: TermIdentity, reign: Reign): LiveTerm {
    const term = new LiveTerm(identity, reign)
    this.#byLease.set(term.lease, term)
    return term
  }

  /** The live term of a lease. */
  of(lease: string): LiveTerm | undefined {
    return this.#byLease.get(lease)
  }

  /** This very term, if it lives. */
  get({ lease, token }: TermIdentity): LiveTerm | undefined {
    const term = this.#byLease.get(lease)
    return term?.token === token ? term : undefined
  }

  end({ lease, token }: TermIdentity): void {
    if (this.#byLease.get(lease)?.token === token) this.#byLease.delete(lease)
  }

  all(): IterableIterator<LiveTerm> {
    return this.#byLease.values()
  }

  /** Calls back whenever a term may have been extended, told to end, or cut short. Returns a function that ends it. */
  watch(look: () => void): () => void {
    this.#watchers.add(look)
    return () => this.#watchers.delete(look)
  }

  /** Something has happened to some term. */
  changed(): void {
    for (const look of this.#watchers) look()
  }

  enroll(lease: string): void {
    this.#enrolled.add(lease)
  }

  discharge(lease: string): void {
    this.#enrolled.delete(lease)
  }

  isEnrolled(lease: string): boolean {
    return this.#enrolled.has(lease)
  }
}
