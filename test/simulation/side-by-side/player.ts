/** One session in a duel: it is in both stores under the same id, is sent the same commands there, and keeps what both have told it. */
import type { Connection, Hint, Session, SessionOptions } from '../../../src/backends/port.ts'
import type { Pair } from './likeness.ts'

/** A command as it was sent, so that it can arrive again. */
export interface Message {
  readonly text: string
  readonly player: Player
  readonly lease?: string
  ask(session: Session, side: 0 | 1): Promise<unknown>
}

export class Player {
  readonly options: SessionOptions
  readonly sessions: Pair<Session>
  readonly hints: Pair<Hint[]> = [[], []]
  readonly sent: Message[] = []
  /** The greatest that it has used. */
  number = 0
  /** All that it has heard of, the last one last. */
  readonly epochs: number[] = []
  isClosed = false
  /** It was told that it is unknown: a store may say nothing more to it. */
  isOver = false

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
}
