/** What each machine is walked in, by its id. */
import type { AnySurroundings } from '../surroundings.ts'
import { client } from './client.ts'
import { cohort } from './cohort.ts'
import { election } from './election.ts'
import { groupSupervisor } from './groupSupervisor.ts'
import { observer } from './observer.ts'
import { partition } from './partition.ts'
import { scheduleLoop } from './scheduleLoop.ts'
import { session } from './session.ts'
import { termWorker } from './termWorker.ts'

export const ALL: Readonly<Record<string, AnySurroundings>> = {
  client,
  cohort,
  election,
  groupSupervisor,
  observer,
  partition,
  scheduleLoop,
  session,
  termWorker,
}
