/** The model of the store says the same as the contract of all backends: two descriptions, written apart from each other. */
import { describe, it } from 'vitest'
import { contractCases } from '../../src/backends/contract.ts'
import { ModelBackend } from '../simulation/model/backend.ts'

/** The model does at once what a store may do in several calls. */
const BOUNDED = [
  'a session with many leases is reaped over several renewals, and is dead meanwhile',
  'many places in line are given up over several renewals',
]

describe('the model keeps the contract', () => {
  for (const { name, run } of contractCases) {
    if (BOUNDED.includes(name)) continue
    it(name, () => {
      const backend = new ModelBackend({ nowMs: 1_000, wallMs: 1_700_000_000_000 })
      const { nowMs, wallMs } = backend.facts('any')
      return run({
        backend: () => backend,
        clock: { now: () => nowMs, wallMs: () => wallMs },
        pass: async (ms) => backend.pass(ms),
        restart: async (data) => backend.restart(data),
      })
    })
  }
})
