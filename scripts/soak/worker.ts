/** Looks for plans that break a promise, as it is told to by `npm run soak`, and tells what was simulated and found. */
import { type Promised, type PromiseFile, promises } from '../../test/simulation/promises.ts'
import { describeFound, search } from '../../test/simulation/search.ts'
import { Tally, type TallyNumbers } from '../../test/simulation/tally.ts'

/** What to look for. */
export interface Job {
  readonly file: PromiseFile
  readonly index: number
  readonly seed: number
  readonly runs: number
}

/** What came of it. */
export interface Outcome {
  readonly numbers: TallyNumbers
  /** All that there is to say about a plan that breaks the promise. */
  readonly found?: string
}

process.on('message', async ({ file, index, seed, runs }: Job) => {
  const tally = new Tally()
  const all: readonly Promised[] = promises[file]
  const promised = all[index]!
  const found = await tally.time(() =>
    search({ file, promised, seed, runs, onPlayed: (plan, story) => tally.add(plan, story) }),
  )
  const outcome: Outcome = { numbers: tally.numbers, ...(found && { found: describeFound(promised, found) }) }
  process.send!(outcome)
})
