/** The SQLite backend against the contract, in a real file, with the time of the machine in the test's hands. */
import { describe, test } from 'vitest'
import { contractCases } from '../../src/backends/contract.ts'
import { sqlite } from '../../src/backends/sqlite/index.ts'
import { freshFile, HandClock } from './sqlite/stage.ts'

describe('contract', () => {
  const clock = new HandClock('boot', 1_000_000)
  const backend = sqlite(freshFile(), { machineClock: clock })
  const harness = {
    backend: () => backend,
    clock: { now: () => clock.now(), wallMs: () => Date.now() },
    pass: async (ms: number) => clock.pass(ms),
  }
  for (const { name, needs, run } of contractCases) {
    // A file keeps its memory, whatever restarts.
    if (needs !== 'restart') test(name, () => run(harness))
  }
})
