/** All that is watched in every simulated cluster, by promise. */
import { calmClusterLeads } from './calmClusterLeads.ts'
import type { Checker } from './checker.ts'
import { endsHaveACause } from './endsHaveACause.ts'
import { eventsArePaired } from './eventsArePaired.ts'
import { failuresHarmNothing } from './failuresHarmNothing.ts'
import { freeLeasesAreTaken } from './freeLeasesAreTaken.ts'
import { handoverInOrder } from './handoverInOrder.ts'
import { nothingUnwantedIsElected } from './nothingUnwantedIsElected.ts'
import { oneTermAtATime } from './oneTermAtATime.ts'
import { partitionsStay } from './partitionsStay.ts'
import { restsAreKept } from './restsAreKept.ts'
import { revokedIsTold } from './revokedIsTold.ts'
import { runsKeepTheirTerm } from './runsKeepTheirTerm.ts'
import { schedulesKeepTime } from './schedulesKeepTime.ts'
import { stopIsComplete } from './stopIsComplete.ts'
import { tokensGrow } from './tokensGrow.ts'
import { validityIsEarned } from './validityIsEarned.ts'
import { viewsAgree } from './viewsAgree.ts'

export const checkers = {
  oneTermAtATime,
  validityIsEarned,
  tokensGrow,
  runsKeepTheirTerm,
  handoverInOrder,
  revokedIsTold,
  eventsArePaired,
  endsHaveACause,
  failuresHarmNothing,
  schedulesKeepTime,
  restsAreKept,
  stopIsComplete,
  nothingUnwantedIsElected,
  partitionsStay,
  viewsAgree,
  freeLeasesAreTaken,
  calmClusterLeads,
} as const satisfies Readonly<Record<string, Checker>>

export type CheckerName = keyof typeof checkers
