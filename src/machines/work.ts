/**
 * How leader work is talked with. `work.stop` goes in, once or more; `work.settled` comes out, once, when nothing of the run is
 * left. A single run and a whole schedule loop speak alike, so that a term need not know which of them it has.
 */

import type { Outcome } from '../model/endings.ts'
import type { PlainError } from '../model/errors.ts'
import type { TermKey } from './term.ts'

export interface WorkInput extends TermKey {
  /** The runtime keeps the functions; this is the key of one. */
  readonly work: string
  /** Counts the runs within a term, from 1. */
  readonly run: number
}

export type WorkCommand = { readonly type: 'work.stop' }

export interface WorkSettled {
  readonly type: 'work.settled'
  readonly outcome: Exclude<Outcome, 'ABANDONED'>
  /** The error is one that `isFatal` accepts: the work must not be tried again here. */
  readonly fatal: boolean
  readonly error?: PlainError
}

/** The end of a single run, with the clock at that moment. */
export interface RunSettled extends WorkSettled {
  readonly atMs: number
}
