/** The demo, as a node sees it: somebody to report to, who may ask for a pause. A program of your own has no need of this. */
import type { Logger } from 'simba-xstate'
import { PAUSE, type Part, type Report } from './messages.ts'

export class Parent {
  #isPauseAsked = false

  constructor() {
    process.on('message', (message) => {
      if (message === PAUSE) this.#isPauseAsked = true
    })
    // Ctrl-C reaches every process of a terminal. The demo ends its nodes itself.
    process.on('SIGINT', () => {})
    // Without the demo there is nothing to do.
    process.on('disconnect', () => process.exit(1))
  }

  /** What the library warns about is part of the story. */
  readonly logger: Logger = {
    debug() {},
    info() {},
    warn: (_details, message) => void this.tell({ kind: 'warned', message }),
    error: (details, message) => {
      console.error(message, details)
      void this.tell({ kind: 'warned', message })
    },
  }

  /** Resolves when the report has left. */
  tell(report: Report): Promise<void> {
    return new Promise((resolve) => process.send!(report, undefined, undefined, () => resolve()))
  }

  /**
   * Where it was asked for, stops the whole process until somebody continues it, as `kill -STOP` from outside would. Done from inside
   * so that it hits the worst moment for certain; and so that no call to SQLite is under way, whose file would stay locked.
   */
  async mayPause(next: Part & { readonly token: number }): Promise<void> {
    if (!this.#isPauseAsked) return
    this.#isPauseAsked = false
    await this.tell({ kind: 'pausing', ...next })
    process.kill(process.pid, 'SIGSTOP')
  }
}
