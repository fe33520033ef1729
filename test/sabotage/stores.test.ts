/** Stores that break a rule of the model: each is noticed in the simulated world, and in duels with the model. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { modelInTime } from '../simulation/model/inTime.ts'
import { plans } from '../simulation/plans.ts'
import { play } from '../simulation/play.ts'
import { areNoticed } from '../simulation/sabotage/noticed.ts'
import { stores } from '../simulation/sabotage/stores.ts'
import { someCommands } from '../simulation/side-by-side/command.ts'
import { duel } from '../simulation/side-by-side/duel.ts'
import { clockContestant, memoryTempo } from '../simulation/side-by-side/memory.ts'

const MOST_DUELS = 400
const COMMANDS = 60

test('a store that keeps all the rules of the model is not complained of', async () => {
  for (const plan of fc.sample(plans(), { seed: 1, numRuns: 20 })) {
    const { violations } = await play(plan, { sabotage: { backend: (clock) => modelInTime(clock) } })
    expect(violations).toEqual([])
  }
})

describe('it is noticed that', () => areNoticed(stores.filter(({ noticedBy }) => noticedBy.length > 0)))

describe('against the model, a duel is lost since', () => {
  for (const { name, backend } of stores)
    test(name, async () => {
      const { failed } = await fc.check(
        fc.asyncProperty(someCommands(memoryTempo, COMMANDS), (commands) =>
          duel(clockContestant(backend), memoryTempo, commands),
        ),
        { seed: 1, numRuns: MOST_DUELS, endOnFailure: true },
      )
      expect(failed).toBe(true)
    })
})
