/** What happened in a simulated world, line by line: the same seed gives the same lines. */

import type { SimbaEvent } from '../model/events.ts'
import type { Executed } from './store.ts'
import type { VirtualTime } from './virtualTime.ts'

/** A text, or what writes it when the log is read: most logs never are. */
export type What = string | (() => string)

/** What a line tells of, where that is known as data. */
export interface LineSubject {
  /** A client has published it. */
  readonly event?: SimbaEvent
  /** The store has carried it out. */
  readonly executed?: Executed
}

export interface LogLine extends LineSubject {
  /** In true time. */
  readonly atMs: number
  /** A node's name, or the store. */
  readonly who: string
  readonly what: string
}

type Line = Omit<LogLine, 'what'> & { readonly what: What }

export class SimulationLog {
  readonly #time: VirtualTime
  readonly #lines: Line[] = []

  constructor(time: VirtualTime) {
    this.#time = time
  }

  get lines(): readonly LogLine[] {
    return this.#lines.map((line) => ({ ...line, what: written(line.what) }))
  }

  /** Who says so: a node's name, or the store. */
  note(who: string, what: What, subject: LineSubject = {}): void {
    this.#lines.push({ atMs: this.#time.nowMs, who, what, ...subject })
  }

  toString(): string {
    return this.#lines
      .map(({ atMs, who, what }) => `${(atMs / 1_000).toFixed(4).padStart(10)}  ${who.padEnd(6)}  ${written(what)}`)
      .join('\n')
  }
}

function written(what: What): string {
  return typeof what === 'string' ? what : what()
}
