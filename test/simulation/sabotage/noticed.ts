/** What is broken on purpose must be noticed, by a checker that has to do with it, within a bounded number of plans. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plans } from '../plans.ts'
import { play } from '../play.ts'
import { type Promised, promises } from '../promises.ts'
import type { Sabotage } from './sabotage.ts'

/** Of each property in the file. */
const MOST_PLANS = 60
/** Any other would do; the same each time, so that a failure is one of the change. */
const SEED = 1
const LIMIT_MS = 600_000

/** Tests that somebody notices each of them. */
export function areNoticed(sabotages: readonly Sabotage[]): void {
  for (const sabotage of sabotages) {
    test(sabotage.name, { timeout: LIMIT_MS }, async () => {
      const noticed = await firstNoticed(sabotage)
      const who = [...noticed.keys()]
      const expected: readonly string[] = sabotage.noticedBy
      const what = [...noticed.values()].join('\n') || 'nothing'
      expect(
        who.some((name) => expected.includes(name)),
        `None of ${expected.join(', ')} has noticed it. Noticed was: ${what}`,
      ).toBe(true)
    })
  }
}

/** By who has noticed it, what was said: of the first plan where one of those has that should, else of all of them. */
async function firstNoticed(sabotage: Sabotage): Promise<ReadonlyMap<string, string>> {
  const byWho = (violations: readonly string[]) => new Map(violations.map((what) => [what.split(':')[0]!, what]))
  const isEnough = (violations: readonly string[]) => {
    const noticed = byWho(violations)
    return sabotage.noticedBy.some((name) => noticed.has(name))
  }
  const others: string[] = []
  for (const plan of plansAgainst(sabotage)) {
    const { violations } = await play(plan, { sabotage, isEnough })
    if (isEnough(violations)) return byWho(violations)
    others.push(...violations)
  }
  return byWho(others)
}

function plansAgainst({ foundBy, slice }: Sabotage) {
  const all: readonly Promised[] = promises[foundBy]
  return all.flatMap((promised) =>
    fc.sample(plans({ ...promised.plans, ...slice }), { seed: SEED, numRuns: MOST_PLANS }),
  )
}
