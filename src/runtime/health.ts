/** Whether the store answers, as this client finds: told when it begins to fail, and when it answers again. */

import type { Clock } from '../model/clock.ts'
import { plainError } from '../model/errors.ts'
import type { Logger } from '../model/logger.ts'
import type { Events } from './events.ts'

/** Calls that change nothing: a store whose disk is full answers them as ever. */
const READS: ReadonlySet<string> = new Set(['look', 'members', 'leaders', 'survey', 'disconnect'])

interface Failing {
  readonly sinceMs: number
  readonly what: 'reads' | 'writes'
}

export class Health {
  readonly #clock: Pick<Clock, 'now'>
  readonly #logger: Logger
  readonly #events: Events
  #failing: Failing | undefined

  constructor({ clock, logger }: { readonly clock: Pick<Clock, 'now'>; readonly logger: Logger }, events: Events) {
    this.#clock = clock
    this.#logger = logger
    this.#events = events
  }

  /** A call was answered by the store itself. */
  answered(call: string): void {
    if (!this.#failing || (this.#failing.what === 'writes' && READS.has(call))) return
    const failedForMs = this.#clock.now() - this.#failing.sinceMs
    this.#failing = undefined
    this.#logger.info({ failedForMs }, 'The store answers again.')
    this.#events.publish({ type: 'backend.recovered', failedForMs })
  }

  failed(call: string, error: unknown): void {
    const plain = plainError(error)
    this.#logger.debug({ call, err: plain }, 'A call of the store has failed.')
    const before = this.#failing
    const what = READS.has(call) && before?.what !== 'writes' ? 'reads' : 'writes'
    this.#failing = { sinceMs: before?.sinceMs ?? this.#clock.now(), what }
    if (before) return
    this.#logger.warn({ call, err: plain }, 'The store fails. Terms go on until their deadline; calls are repeated.')
    this.#events.publish({ type: 'backend.failing', error: plain })
  }
}
