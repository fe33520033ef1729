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
import type { Clock } from '../../../src/model/clock.ts'
import type { Step } from './commands.ts'
import * as commands from './commands.ts'
import { end } from './ends.ts'
import { emptyStore, pass, restart, type Store } from './store.ts'

/** What each command does. */
export type Rules = typeof commands

export class ModelBackend implements Backend {
  readonly name = 'model'
  readonly #rules: Rules
  readonly #clock: Clock | undefined
  /** What a namespace is like that nobody has used yet. */
  #unused: Store
  readonly #stores = new Map<string, Store>()
  readonly #listeners = new Map<string, (hint: Hint) => void>()

  /** As the model has it, or with some commands broken. Its time is what was passed, or that of a clock. */
  constructor(start: Partial<Store> = {}, breakage: Partial<Rules> = {}, clock?: Clock) {
    this.#unused = { ...emptyStore, ...start }
    this.#rules = { ...commands, ...breakage }
    this.#clock = clock
  }

  facts(namespace: string): Store {
    if (this.#clock) {
      const time = { nowMs: this.#clock.now(), wallMs: this.#clock.wallMs() }
      this.#all((store) => ({ ...store, ...time }))
    }
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

  /** Somebody ends the session before its time. */
  expire(namespace: string, session: string): void {
    this.#take(namespace, (store) => [end(store, session), undefined])
  }

  connect({ namespace, random }: BackendEnvironment): Connection {
    const rules = this.#rules
    return {
      session: (options, onHint) => this.#session(namespace, makeSessionId(random), options, onHint),
      leaders: async (leases) => leases.map((lease) => rules.leader(this.facts(namespace), lease)),
      survey: async (most) => rules.survey(this.facts(namespace), most),
      close: async () => {},
    }
  }

  #session(namespace: string, id: string, options: SessionOptions, onHint: (hint: Hint) => void): Session {
    const rules = this.#rules
    this.#listeners.set(id, onHint)
    const read = async <Answer>(from: (store: Store) => Answer) => from(this.facts(namespace))
    const take = async <Answer>(step: (store: Store) => Step<Answer>) => this.#take(namespace, step)
    return {
      id,
      open: async () => {
        const answer = await take((store) => rules.open(store, id, options))
        if (answer === 'refused') throw new Error(`${id} has ended`)
        return answer
      },
      renew: (request) => take((store) => rules.renew(store, id, request)),
      look: () => read((store) => rules.look(store, id)),
      campaign: (lease, number) => take((store) => rules.campaign(store, id, lease, number)),
      withdraw: (lease, number) => take((store) => rules.withdraw(store, id, lease, number)),
      release: (lease, token, number) => take((store) => rules.release(store, id, lease, token, number)),
      join: (group, entry, number) => take((store) => rules.join(store, id, group, entry, number)),
      leave: (group, number) => take((store) => rules.leave(store, id, group, number)),
      members: (group) => read((store) => rules.members(store, id, group)),
      close: async () => {
        this.#listeners.delete(id)
        await take((store) => [rules.close(store, id), undefined])
      },
    }
  }

  #take<Answer>(namespace: string, step: (store: Store) => Step<Answer>): Answer {
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
