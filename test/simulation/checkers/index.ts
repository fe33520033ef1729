/** All that is watched in every simulated cluster, by promise. */
import { calmClusterLeads } from './calmClusterLeads.ts'
import type { Checker } from './checker.ts'
import { failuresHarmNothing } from './failuresHarmNothing.ts'
import { handoverInOrder } from './handoverInOrder.ts'
import { nothingUnwantedIsElected } from './nothingUnwantedIsElected.ts'
import { oneTermAtATime } from './oneTermAtATime.ts'
import { partitionsStay } from './partitionsStay.ts'
import { revokedIsTold } from './revokedIsTold.ts'
import { runsKeepTheirTerm } from './runsKeepTheirTerm.ts'
import { schedulesKeepTime } from './schedulesKeepTime.ts'
import { stopIsComplete } from './stopIsComplete.ts'
import { tokensGrow } from './tokensGrow.ts'

export const checkers: Readonly<Record<string, Checker>> = {
  oneTermAtATime,
  tokensGrow,
  runsKeepTheirTerm,
  handoverInOrder,
  revokedIsTold,
  failuresHarmNothing,
  schedulesKeepTime,
  stopIsComplete,
  partitionsStay,
  calmClusterLeads,
  nothingUnwantedIsElected,
}
