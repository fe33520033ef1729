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
import { emptyStore, pass, restart, type Store } from './store.ts'

export class ModelBackend implements Backend {
  readonly name = 'model'
  /** What a namespace is like that nobody has used yet. */
  #unused: Store
  readonly #stores = new Map<string, Store>()
  readonly #listeners = new Map<string, (hint: Hint) => void>()

  constructor(start: Partial<Store> = {}) {
    this.#unused = { ...emptyStore, ...start }
  }

  facts(namespace: string): Store {
    return this.#stores.get(namespace) ?? this.#unused
  }

  /** Time passes, or the store's clock is set back. */
  pass(ms: number): void {
    this.#all((store) => pass(store, ms))
  }

  stepWall(ms: number): void {
    this.#all((store) => ({ ...store, wallMs: store.wallMs + ms }))
  }

  restart(data: 'kept' | 'lost'): void {
    this.#all((store) => restart(store, data))
  }

  connect({ namespace, random }: BackendEnvironment): Connection {
    return {
      session: (options, onHint) => this.#session(namespace, makeSessionId(random), options, onHint),
      leaders: async (leases) => leases.map((lease) => commands.leader(this.facts(namespace), lease)),
      survey: async (most) => commands.survey(this.facts(namespace), most),
      close: async () => {},
    }
  }

  #session(namespace: string, id: string, options: SessionOptions, onHint: (hint: Hint) => void): Session {
    this.#listeners.set(id, onHint)
    const read = async <Answer>(from: (store: Store) => Answer) => from(this.facts(namespace))
    const take = async <Answer>(step: (store: Store) => commands.Step<Answer>) => this.#take(namespace, step)
    return {
      id,
      open: async () => {
        const answer = await take((store) => commands.open(store, id, options))
        if (answer === 'refused') throw new Error(`${id} has ended`)
        return answer
      },
      renew: (request) => take((store) => commands.renew(store, id, request)),
      look: () => read((store) => commands.look(store, id)),
      campaign: (lease, number) => take((store) => commands.campaign(store, id, lease, number)),
      withdraw: (lease, number) => take((store) => commands.withdraw(store, id, lease, number)),
      release: (lease, token, number) => take((store) => commands.release(store, id, lease, token, number)),
      join: (group, entry, number) => take((store) => commands.join(store, id, group, entry, number)),
      leave: (group, number) => take((store) => commands.leave(store, id, group, number)),
      members: (group) => read((store) => commands.members(store, id, group)),
      close: async () => {
        this.#listeners.delete(id)
        await take((store) => [commands.close(store, id), undefined])
      },
    }
  }

  #take<Answer>(namespace: string, step: (store: Store) => commands.Step<Answer>): Answer {
    const [after, answer] = step(this.facts(namespace))
    this.#stores.set(namespace, { ...after, pushes: [] })
    for (const { session, hint } of after.pushes) this.#listeners.get(session)?.(hint)
    return answer
  }

  #all(change: (store: Store) => Store): void {
    this.#unused = change(this.#unused)
    for (const [namespace, store] of this.#stores) this.#stores.set(namespace, change(store))
  }
}
