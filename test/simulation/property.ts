/**
 * A promise as a test: fast-check looks for a plan that breaks it, and shrinks what it finds. All checkers watch in every plan.
 * The environment variables that the message of a failure names replay it; `SIMBA_RUNS` and `SIMBA_SEED` choose how many and which.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describePlan, type Plan } from './plan.ts'
import { type PlanChoice, plans } from './plans.ts'
import { play } from './play.ts'

const { SIMBA_SEED, SIMBA_PATH, SIMBA_RUNS } = process.env
/** The same ones each time: a new fault in a review is a fault of that change. `SIMBA_SEED` brings others. */
const DEFAULT_SEED = 20_251_201

export function property(promise: string, choice: PlanChoice, runs: number): void {
  test(promise, { timeout: 3_600_000 }, async () => {
    const details = await fc.check(
      fc.asyncProperty(plans(choice), async (plan) => {
        const { violations } = await play(plan)
        if (violations.length > 0) throw new Error(violations.join('\n'))
      }),
      {
        seed: SIMBA_SEED ? Number(SIMBA_SEED) : DEFAULT_SEED,
        numRuns: SIMBA_RUNS ? Number(SIMBA_RUNS) : runs,
        ...(SIMBA_PATH && { path: SIMBA_PATH, endOnFailure: true }),
      },
    )
    if (details.failed) expect.fail(await failure(promise, details))
  })
}

async function failure(promise: string, details: fc.RunDetails<[Plan]>): Promise<string> {
  const [plan] = details.counterexample ?? []
  if (!plan) return fc.defaultReportMessage(details) ?? 'No plan was played.'
  const { violations, log } = await play(plan)
  const file = expect.getState().testPath?.replace(`${process.cwd()}/`, '')
  return [
    `${promise}: broken.`,
    ...violations,
    '',
    describePlan(plan),
    '',
    log,
    '',
    'To replay exactly this:',
    `SIMBA_SEED=${details.seed} SIMBA_PATH=${details.counterexamplePath} npx vitest run ${file} -t '${promise}'`,
  ].join('\n')
}
