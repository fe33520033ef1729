/** The SQLite backend against the contract, in a real file, with the time of the machine in the test's hands. */
import { describe, test } from 'vitest'
import { contractCases } from '../../src/backends/contract.ts'
import { sqlite } from '../../src/backends/sqlite/index.ts'
import { freshFile, HandClock } from './sqlite/stage.ts'

const A_DAY_IN_2023_MS = 1_700_000_000_000

describe('contract', () => {
  const clock = new HandClock('boot', 1_000_000)
  const backend = sqlite(freshFile(), { machineClock: clock })
  const harness = {
    backend: () => backend,
    clock: { now: () => clock.now(), wallMs: () => A_DAY_IN_2023_MS + clock.now() },
    pass: async (ms: number) => clock.pass(ms),
  }
  for (const { name, needs, run } of contractCases) {
    // A file keeps its memory, whatever restarts.
    if (needs !== 'restart') test(name, () => run(harness))
  }
})
