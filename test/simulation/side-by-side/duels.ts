/**
 * Duels as a test: fast-check looks for commands that a store answers otherwise than the model, and shrinks what it finds.
 * The environment variables that the message of a failure names replay it; `SIMBA_RUNS` and `SIMBA_SEED` choose how many and which.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Command, someCommands, type Tempo } from './command.ts'
import type { Contestant } from './contestant.ts'
import { duel } from './duel.ts'

const { SIMBA_SEED, SIMBA_PATH, SIMBA_RUNS } = process.env
/** The same ones each time: a new fault in a review is a fault of that change. `SIMBA_SEED` brings others. */
const DEFAULT_SEED = 20_251_201
/** Enough to shrink a failure well, also where a store is slow. */
const LIMIT_MS = 120_000

export interface Duels {
  readonly tempo: Tempo
  /** A store that nobody has used, for each duel. */
  readonly contestant: () => Contestant | Promise<Contestant>
  /** The most commands in one duel. */
  readonly commands: number
  readonly runs: number
}

export function duels(promise: string, { tempo, contestant, commands, runs }: Duels): void {
  test(promise, { timeout: 2 * LIMIT_MS }, async () => {
    const details = await fc.check(
      fc.asyncProperty(someCommands(tempo, commands), async (chosen) => duel(await contestant(), tempo, chosen)),
      {
        seed: SIMBA_SEED ? Number(SIMBA_SEED) : DEFAULT_SEED,
        numRuns: SIMBA_RUNS ? Number(SIMBA_RUNS) : runs,
        interruptAfterTimeLimit: LIMIT_MS,
        ...(SIMBA_PATH && { path: SIMBA_PATH, endOnFailure: true }),
      },
    )
    if (details.failed) expect.fail(failure(promise, details))
  })
}

function failure(promise: string, details: fc.RunDetails<[readonly Command[]]>): string {
  const [commands] = details.counterexample ?? []
  if (!commands) return fc.defaultReportMessage(details) ?? 'No commands were given.'
  const file = expect.getState().testPath?.replace(`${process.cwd()}/`, '')
  return [
    `${promise}: broken by run ${details.numRuns}.`,
    details.errorInstance instanceof Error ? details.errorInstance.message : String(details.errorInstance),
    '',
    `The commands, shrunk ${details.numShrinks} times:`,
    ...commands.map((command) => `  ${JSON.stringify(command)}`),
    '',
    'To replay exactly this:',
    `SIMBA_SEED=${details.seed} SIMBA_PATH=${details.counterexamplePath} npx vitest run ${file} -t '${promise}'`,
  ].join('\n')
}
