/** What a case of the contract is, and what it needs of the store that it tries. */
import type { Clock } from '../../model/clock.ts'
import type { Backend } from '../port.ts'

/** How the cases get at a store. Time may be simulated or real. */
export interface ContractHarness {
  /** A connectable backend; each call may return the same one. All of them see the same store. */
  backend(): Backend
  /** Lets this much time pass for the store (and for the caller), and what it has pushed arrive. May be called with 0. */
  pass(ms: number): Promise<void>
  /** The clock that the cases give to each connection. Defaults to the system's; where time is simulated, it is the one that `pass` moves. */
  readonly clock?: Clock
  /** The lease duration that the cases use: as short as the store's real time allows. Defaults to 1,000 ms. */
  readonly leaseDurationMs?: number
  /** Restarts the store with its data, or without it. Left out where the store cannot lose its memory. */
  restart?(data: 'kept' | 'lost'): Promise<void>
  /** Names of cases that this store cannot pass, each with the reason. */
  readonly skip?: Readonly<Record<string, string>>
}

export interface ContractCase {
  /** A promise, as a sentence. */
  readonly name: string
  /** Cases that need `restart` are left out where the harness has none, and those that need `survey` where the store has none. */
  readonly needs?: 'restart' | 'survey'
  run(harness: ContractHarness): Promise<void>
}
