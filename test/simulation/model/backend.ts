/** The model behind the port, so that whatever plays with a store can play with the model. It only keeps the present facts and passes them on. */

import type {
  Backend,
  BackendEnvironment,
  Connection,
  Hint,
  Session,
  SessionOptions,
} from '../../../src/backends/port.ts'
import { makeSessionId } from '../../../src/backends/session-id.ts'
import * as commands from './commands.ts'
import * as facts from './store.ts'

export class ModelStore {
  /** One namespace: all who connect share it. */
  #store: facts.Store
  readonly #listeners = new Map<string, (hint: Hint) => void>()

  constructor(start: Partial<facts.Store> = {}) {
    this.#store = { ...facts.emptyStore, ...start }
  }

  get facts(): facts.Store {
    return this.#store
  }

  readonly backend: Backend = {
    name: 'model',
    connect: (environment) => this.#connect(environment),
  }

  /** Time passes, or steps back. */
  pass(ms: number): void {
    this.#store = facts.pass(this.#store, ms)
  }

  stepWall(ms: number): void {
    this.#store = { ...this.#store, wallMs: this.#store.wallMs + ms }
  }

  restart(data: 'kept' | 'lost'): void {
    this.#store = facts.restart(this.#store, data)
  }

  #connect({ random }: BackendEnvironment): Connection {
    return {
      session: (options, onHint) => this.#session(makeSessionId(random), options, onHint),
      leaders: async (leases) => leases.map((lease) => commands.leader(this.#store, lease)),
      close: async () => {},
    }
  }

  #session(id: string, options: SessionOptions, onHint: (hint: Hint) => void): Session {
    this.#listeners.set(id, onHint)
    const take = async <Answer>(step: (store: facts.Store) => commands.Step<Answer>) => this.#take(step)
    return {
      id,
      open: async () => {
        const answer = await take((store) => commands.open(store, id, options))
        if (answer === 'refused') throw new Error(`${id} has ended`)
        return answer
      },
      renew: (request) => take((store) => commands.renew(store, id, request)),
      look: async () => commands.look(this.#store, id),
      campaign: (lease, number) => take((store) => commands.campaign(store, id, lease, number)),
      withdraw: (lease, number) => take((store) => commands.withdraw(store, id, lease, number)),
      release: (lease, token, number) => take((store) => commands.release(store, id, lease, token, number)),
      join: (group, entry, number) => take((store) => commands.join(store, id, group, entry, number)),
      leave: (group, number) => take((store) => commands.leave(store, id, group, number)),
      members: async (group) => commands.members(this.#store, id, group),
      close: async () => {
        this.#listeners.delete(id)
        await take((store) => [commands.close(store, id), undefined])
      },
    }
  }

  #take<Answer>(step: (store: facts.Store) => commands.Step<Answer>): Answer {
    const [{ pushes, ...after }, answer] = step(this.#store)
    this.#store = { ...after, pushes: [] }
    for (const { session, hint } of pushes) this.#listeners.get(session)?.(hint)
    return answer
  }
}
