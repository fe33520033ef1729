/**
 * Promises as tests. The environment variables that the message of a failure names replay it; `SIMBA_RUNS` and `SIMBA_SEED` choose how
 * many plans and which, and `SIMBA_SABOTAGE` breaks the system first, to see that it is noticed.
 */
import { afterAll, expect, test } from 'vitest'
import { type Promised, type PromiseFile, promises } from './promises.ts'
import { sabotageNamed } from './sabotage/index.ts'
import { describeFound, search } from './search.ts'
import { Tally } from './tally.ts'

const { SIMBA_SEED, SIMBA_PATH, SIMBA_RUNS, SIMBA_SABOTAGE } = process.env
/** The same plans each time: a new fault in a review is a fault of that change. `SIMBA_SEED` brings others. */
const DEFAULT_SEED = 20_251_201
const LIMIT_MS = 3_600_000

/** Tests all that is promised in this file. */
export function properties(file: PromiseFile): void {
  const tally = new Tally()
  const sabotage = SIMBA_SABOTAGE ? sabotageNamed(SIMBA_SABOTAGE) : undefined
  const all: readonly Promised[] = promises[file]

  for (const promised of all)
    test(promised.says, { timeout: LIMIT_MS }, async () => {
      const found = await tally.time(() =>
        search({
          file,
          promised,
          seed: SIMBA_SEED ? Number(SIMBA_SEED) : DEFAULT_SEED,
          runs: SIMBA_RUNS ? Number(SIMBA_RUNS) : promised.runs,
          path: SIMBA_PATH,
          sabotage,
          onPlayed: (plan, story) => tally.add(plan, story),
        }),
      )
      if (found) expect.fail(describeFound(promised, found))
    })

  afterAll(() => tally.handIn(file))
}
