/** One session in a duel: it is in both stores under the same id, is sent the same messages there, and keeps what both have told it. */
import type { Connection, Hint, Session, SessionOptions } from '../../../src/backends/port.ts'
import type { Pair } from './likeness.ts'
import type { Message } from './message.ts'

export class Player {
  readonly options: SessionOptions
  readonly sessions: Pair<Session>
  readonly hints: Pair<Hint[]> = [[], []]
  /** Everything that can arrive (again). */
  readonly sent: Message[] = []
  /** All epochs that it has heard of, the last one last. */
  readonly epochs: number[] = []
  isClosed = false
  /** It was told that it is unknown: a store may say nothing more to it. */
  isOver = false
  #number = 0

  constructor(connections: Pair<Connection>, options: SessionOptions) {
    this.options = options
    this.sessions = [
      connections[0].session(options, (hint) => this.hints[0].push(hint)),
      connections[1].session(options, (hint) => this.hints[1].push(hint)),
    ]
  }

  get id(): string {
    return this.sessions[1].id
  }

  get node(): string {
    return this.options.node
  }

  /** The greatest number that it has used. */
  get number(): number {
    return this.#number
  }

  /** The next number, or one that is so far from it. */
  takeNumber(shift: number): number {
    const number = Math.max(1, this.#number + 1 + shift)
    this.#number = Math.max(this.#number, number)
    return number
  }
}
