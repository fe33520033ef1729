/** All that is broken on purpose. */
import { groups } from './groups.ts'
import { leases } from './leases.ts'
import type { Sabotage } from './sabotage.ts'
import { schedules } from './schedules.ts'
import { sessions } from './sessions.ts'
import { stops } from './stops.ts'
import { stores } from './stores.ts'
import { terms } from './terms.ts'
import { time } from './time.ts'

export const sabotages: readonly Sabotage[] = [
  ...time,
  ...leases,
  ...terms,
  ...schedules,
  ...stops,
  ...sessions,
  ...groups,
  ...stores,
]

export function sabotageNamed(name: string): Sabotage {
  const found = sabotages.find((sabotage) => sabotage.name === name)
  if (!found)
    throw new Error(`There is no sabotage '${name}'; there are:\n${sabotages.map(({ name }) => name).join('\n')}`)
  return found
}
