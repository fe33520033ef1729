/** Where a term's work runs, when not on this event loop. What an executor starts can be ended by force, and it says when it is gone. */
import type { Logger } from '../../model/logger.ts'
import type { LiveTerm } from '../term.ts'

/** Leader work that brings its own place to run. Made by `workerThread()` and `command()`. */
export interface Executor {
  readonly name: string
  execute(assignment: Assignment): Execution
}

/** One run. */
export interface Assignment {
  readonly term: LiveTerm
  /** The public name of this client. */
  readonly node: string
  readonly logger: Logger
}

/** One run, under way. */
export interface Execution {
  /** Settles as the work did, once nothing of it is left. */
  readonly exited: Promise<unknown>
  /** The term may have been extended, told to end, or cut short. */
  look(): void
  /** Ends the work by force; `exited` follows. */
  kill(): void
}

export function isExecutor(work: unknown): work is Executor {
  return typeof (work as Partial<Executor> | null)?.execute === 'function'
}
