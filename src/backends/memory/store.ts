/** The store itself, as synchronous steps on its own clock: namespaces, pushed hints, and restarts. */
import type { Clock } from '../../model/clock.ts'
import type { Hint } from '../port.ts'
import { Namespace, type Server } from './namespace.ts'
import type { ServerRun } from './quarantine.ts'

/** Hears what the store pushes to the sessions of a namespace. */
export type PushListener = (namespace: string, session: string, hint: Hint) => void

export class MemoryStore {
  readonly #clock: Clock
  readonly #push: PushListener
  readonly #namespaces = new Map<string, Namespace>()
  #run: ServerRun = { id: 1, startedAtMs: Number.NEGATIVE_INFINITY }

  constructor(clock: Clock, push: PushListener) {
    this.#clock = clock
    this.#push = push
  }

  namespace(name: string): Namespace {
    const known = this.#namespaces.get(name)
    if (known) return known
    const server: Server = {
      nowMs: () => this.#clock.now(),
      wallMs: () => this.#clock.wallMs(),
      run: () => this.#run,
      push: (session, hint) => this.#push(name, session, hint),
    }
    const namespace = new Namespace(server)
    this.#namespaces.set(name, namespace)
    return namespace
  }

  /** A server that has lost its data cannot tell what its predecessor granted, so its start counts. */
  restart(data: 'kept' | 'lost'): void {
    this.#run = { id: this.#run.id + 1, startedAtMs: this.#clock.now() }
    if (data === 'lost') this.#namespaces.clear()
  }
}
