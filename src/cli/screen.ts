/** What the command says about itself: on standard error, so that standard output belongs to the command that is run. */
import type { Logger } from '../model/logger.ts'

export type Loudness = 'quiet' | 'usual' | 'verbose'

export class Screen {
  readonly #loudness: Loudness

  constructor(loudness: Loudness) {
    this.#loudness = loudness
  }

  /** What somebody who waits wants to know. */
  say(text: string): void {
    if (this.#loudness !== 'quiet') this.#write(text)
  }

  /** What somebody wants to know who looks for a fault. */
  detail(text: string): void {
    if (this.#loudness === 'verbose') this.#write(text)
  }

  /** What nobody may miss. */
  fail(text: string): void {
    this.#write(text)
  }

  /** For the client. */
  readonly logger: Logger = {
    debug: (details, message) => this.detail(line(message, details)),
    info: (details, message) => this.detail(line(message, details)),
    warn: (details, message) => this.say(line(message, details)),
    error: (details, message) => this.fail(line(message, details)),
  }

  #write(text: string): void {
    process.stderr.write(`simba: ${text}\n`)
  }
}

/** The message, and in brackets what it is about. */
function line(message: string, details: object): string {
  // What was thrown may be anything, and where nobody knows the cause of a fault there is none.
  const facts = Object.entries(details).flatMap(([key, value]) => {
    if (value === undefined) return []
    if (key === 'err') return [(value as Partial<Error> | null)?.message ?? String(value)]
    return typeof value === 'object' ? [] : [`${key} ${value}`]
  })
  return facts.length === 0 ? message : `${message} (${facts.join(', ')})`
}
