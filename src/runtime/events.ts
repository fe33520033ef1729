/** What happens on a client, for whoever listens. A listener that fails is logged, and harms nobody else. */
import { EventEmitter } from 'eventemitter3'
import { plainError } from '../model/errors.ts'
import type { SimbaEvent } from '../model/events.ts'
import type { Logger } from '../model/logger.ts'
import { guardedListener } from './listener.ts'

export type SimbaEventType = SimbaEvent['type']
export type SimbaEventOf<Type extends SimbaEventType> = Extract<SimbaEvent, { type: Type }>
export type SimbaListener<Type extends SimbaEventType | '*'> = (
  event: Type extends SimbaEventType ? SimbaEventOf<Type> : SimbaEvent,
) => unknown

export class Events {
  readonly #emitter = new EventEmitter<Record<string, [SimbaEvent]>>()
  readonly #logger: Logger

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** Listens to one type, or to all with `'*'`. Returns a function that ends it. */
  on<Type extends SimbaEventType | '*'>(type: Type, listener: SimbaListener<Type>): () => void {
    const tell = guardedListener(listener as (event: SimbaEvent) => unknown, (error, event) =>
      this.#logger.error({ event: event.type, err: plainError(error) }, 'A listener has failed.'),
    )
    this.#emitter.on(type, tell)
    return () => this.#emitter.off(type, tell)
  }

  publish(event: SimbaEvent): void {
    this.#emitter.emit(event.type, event)
    this.#emitter.emit('*', event)
  }
}
