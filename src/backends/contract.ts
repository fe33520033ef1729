/**
 * What every backend owes, as test cases without a test runner: feed them to the runner of your choice, one test each.
 * A case makes its own namespace and throws where the store breaks the contract.
 */
import type { Clock } from '../model/clock.ts'
import { expiryCases } from './contract/expiry.ts'
import { grantCases } from './contract/grants.ts'
import { groupCases } from './contract/groups.ts'
import { lineCases } from './contract/lines.ts'
import { numberCases } from './contract/numbers.ts'
import { offerCases } from './contract/offers.ts'
import { restartCases } from './contract/restarts.ts'
import { sessionCases } from './contract/sessions.ts'
import { walkCases } from './contract/walks.ts'
import type { Backend } from './port.ts'

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
  /** Cases that need `restart` are left out where the harness has none. */
  readonly needs?: 'restart'
  run(harness: ContractHarness): Promise<void>
}

export const contractCases: readonly ContractCase[] = [
  ...sessionCases,
  ...grantCases,
  ...lineCases,
  ...offerCases,
  ...numberCases,
  ...expiryCases,
  ...groupCases,
  ...walkCases,
  ...restartCases,
]
