/**
 * The memory store behind the port: thin promises around its synchronous steps, and nothing else.
 * A call reaches the store, and a hint its session, only after whoever caused it has gone on.
 */
import { SimbaError } from '../../model/errors.ts'
import type {
  BackendEnvironment,
  Connection,
  Hint,
  MemberEntry,
  RenewRequest,
  Session,
  SessionOptions,
} from '../port.ts'
import { makeSessionId } from '../session-id.ts'
import { checkEntry, checkGroup, checkLease, checkNumber, checkSessionOptions } from './checks.ts'
import type { Namespace } from './namespace.ts'
import type { MemoryStore } from './store.ts'

/** Hands on what the store pushes to those sessions that listen. */
export class Switchboard {
  readonly #listeners = new Map<string, (hint: Hint) => void>()

  listen(namespace: string, session: string, onHint: (hint: Hint) => void): () => void {
    const key = `${namespace} ${session}`
    this.#listeners.set(key, onHint)
    return () => void this.#listeners.delete(key)
  }

  push(namespace: string, session: string, hint: Hint): void {
    queueMicrotask(() => this.#listeners.get(`${namespace} ${session}`)?.(hint))
  }
}

export class MemoryConnection implements Connection {
  readonly #store: MemoryStore
  readonly #switchboard: Switchboard
  readonly #environment: BackendEnvironment
  /** One for each session that listens. */
  readonly #hangUps = new Set<() => void>()
  #isClosed = false

  constructor(store: MemoryStore, switchboard: Switchboard, environment: BackendEnvironment) {
    this.#store = store
    this.#switchboard = switchboard
    this.#environment = environment
  }

  session(options: SessionOptions, onHint: (hint: Hint) => void): Session {
    return new MemorySession(this, makeSessionId(this.#environment.random), checkSessionOptions(options), onHint)
  }

  leaders(leases: readonly string[]) {
    return this.call((namespace) => namespace.leaders(leases.map(checkLease)))
  }

  survey(most: number) {
    return this.call((namespace) => namespace.survey(checkNumber('most', most)))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const hangUp of this.#hangUps) hangUp()
    this.#hangUps.clear()
  }

  /** Takes a step in the store, later. */
  async call<T>(step: (namespace: Namespace) => T): Promise<T> {
    if (this.#isClosed) throw new SimbaError('BACKEND_UNAVAILABLE', 'The connection to the memory store was closed.')
    await undefined
    // Looked up each time: the store may have lost it meanwhile.
    return step(this.#store.namespace(this.#environment.namespace))
  }

  listen(session: string, onHint: (hint: Hint) => void): () => void {
    const stop = this.#switchboard.listen(this.#environment.namespace, session, onHint)
    const hangUp = () => {
      stop()
      this.#hangUps.delete(hangUp)
    }
    this.#hangUps.add(hangUp)
    return hangUp
  }
}

class MemorySession implements Session {
  readonly id: string
  readonly #connection: MemoryConnection
  readonly #options: SessionOptions
  readonly #onHint: (hint: Hint) => void
  #state: 'new' | 'opened' | 'closed' = 'new'
  #hangUp: () => void = () => {}

  constructor(connection: MemoryConnection, id: string, options: SessionOptions, onHint: (hint: Hint) => void) {
    this.#connection = connection
    this.id = id
    this.#options = options
    this.#onHint = onHint
  }

  async open() {
    const answer = await this.#connection.call((namespace) => {
      // The store forgets sessions that have ended; that this one has begun before is only known here.
      if (this.#state !== 'new') {
        throw new SimbaError('BACKEND_UNAVAILABLE', `The session ${this.id} was ${this.#state} before; it opens once.`)
      }
      return namespace.open(this.id, this.#options)
    })
    this.#state = 'opened'
    this.#hangUp = this.#connection.listen(this.id, this.#onHint)
    return answer
  }

  renew(request: RenewRequest) {
    return this.#connection.call((namespace) => {
      checkNumber('settled', request.settled, 0)
      checkNumber('epoch', request.epoch, 0)
      return namespace.renew(this.id, request)
    })
  }

  look() {
    return this.#connection.call((namespace) => namespace.look(this.id))
  }

  campaign(lease: string, number: number) {
    return this.#connection.call((namespace) =>
      namespace.campaign(this.id, checkLease(lease), checkNumber('number', number)),
    )
  }

  withdraw(lease: string, number: number) {
    return this.#connection.call((namespace) =>
      namespace.withdraw(this.id, checkLease(lease), checkNumber('number', number)),
    )
  }

  release(lease: string, token: number, number: number) {
    return this.#connection.call((namespace) =>
      namespace.release(this.id, checkLease(lease), checkNumber('token', token), checkNumber('number', number)),
    )
  }

  join(group: string, entry: MemberEntry, number: number) {
    return this.#connection.call((namespace) =>
      namespace.join(this.id, checkGroup(group), checkEntry(entry), checkNumber('number', number)),
    )
  }

  leave(group: string, number: number) {
    return this.#connection.call((namespace) =>
      namespace.leave(this.id, checkGroup(group), checkNumber('number', number)),
    )
  }

  members(group: string) {
    return this.#connection.call((namespace) => namespace.members(this.id, checkGroup(group)))
  }

  async close(): Promise<void> {
    this.#state = 'closed'
    this.#hangUp()
    await this.#connection.call((namespace) => namespace.close(this.id))
  }
}
