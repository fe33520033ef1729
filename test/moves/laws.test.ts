/** What the machines promise of the order of things, on every move that they can make. */
import { describe, expect, test } from 'vitest'
import { broken } from './broken.ts'
import { MACHINES, walkOf } from './graph.ts'
import { client } from './laws/client.ts'
import { cohort } from './laws/cohort.ts'
import { election } from './laws/election.ts'
import { groupSupervisor } from './laws/groupSupervisor.ts'
import type { Laws } from './laws/law.ts'
import { observer } from './laws/observer.ts'
import { partition } from './laws/partition.ts'
import { scheduleLoop } from './laws/scheduleLoop.ts'
import { session } from './laws/session.ts'
import { termWorker } from './laws/termWorker.ts'

const ALL: Readonly<Record<string, Laws>> = {
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

test('every machine has laws', () => {
  expect(Object.keys(ALL)).toEqual(MACHINES)
})

describe.each(Object.entries(ALL))('%s', (id, laws) => {
  describe.each(Object.entries(laws))('%s', (_, { holds, noticed }) => {
    test('holds', () => {
      expect(holds(walkOf(id))).toEqual([])
    })

    test('is seen to fail', () => {
      expect(noticed).not.toEqual([])
      for (const [way, part] of noticed) expect(holds(broken(id, way.split('/'), part)), way).not.toEqual([])
    })
  })
})
