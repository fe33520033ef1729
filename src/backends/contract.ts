/**
 * What every backend owes, as test cases without a test runner: feed them to the runner of your choice, one test each.
 * A case makes its own namespace and throws where the store breaks the contract.
 */
import type { ContractCase } from './contract/case.ts'
import { expiryCases } from './contract/expiry.ts'
import { grantCases } from './contract/grants.ts'
import { groupCases } from './contract/groups.ts'
import { lineCases } from './contract/lines.ts'
import { numberCases } from './contract/numbers.ts'
import { offerCases } from './contract/offers.ts'
import { restartCases } from './contract/restarts.ts'
import { sessionCases } from './contract/sessions.ts'
import { surveyCases } from './contract/surveys.ts'
import { walkCases } from './contract/walks.ts'

export const contractCases: readonly ContractCase[] = [
  ...sessionCases,
  ...grantCases,
  ...lineCases,
  ...offerCases,
  ...numberCases,
  ...expiryCases,
  ...groupCases,
  ...surveyCases,
  ...walkCases,
  ...restartCases,
]
