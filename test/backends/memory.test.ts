/** The memory store keeps the contract of all backends, on a clock that is moved by hand. */
import { describe, it } from 'vitest'
import { memory } from '../../src/backends/memory/index.ts'
import { type ContractHarness, contractCases } from '../../src/testing.ts'
import { HandClock } from '../support/hand-clock.ts'

function harness(): ContractHarness {
  const clock = new HandClock()
  const backend = memory({ clock })
  return {
    clock,
    backend: () => backend,
    pass: (ms) => clock.pass(ms),
    restart: async (data) => backend.restart({ data }),
  }
}

describe('the memory store keeps the contract', () => {
  for (const { name, run } of contractCases) it(name, () => run(harness()))
})
