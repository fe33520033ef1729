/** What can befall a cluster, and what it does to it while it lasts. */
import type { Random } from '../../../src/simulation/random.ts'
import type { Span } from '../real/judge.ts'
import type { Stage } from './stage.ts'

export interface Fault {
  readonly name: string
  /** At most one at a time befalls the store. */
  readonly place: 'node' | 'store'
  /** Does it, and resolves when it is over. All chance comes from `draw`. */
  act(stage: Stage, draw: Random): Promise<Aftermath>
}

export interface Aftermath {
  /** Since when the cluster can recover: the end of the fault, or its beginning where nothing ends it. */
  readonly sinceMs: number
  /** How long it took, where the fault itself has waited for that. */
  readonly recoveredInMs?: number
  /** Terms that begin in this time may overlap others: the store has forgotten what it had promised to remember. */
  readonly overlaps?: Span
}

/** As parts of the lease duration: time enough to renew afterwards, and time enough for everything to run out. */
export const SHORTER = [0.2, 0.6] as const
export const LONGER = [1.2, 2] as const
