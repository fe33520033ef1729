/**
 * The contract that every backend keeps, to run against a backend of your own with any test runner.
 *
 * @example
 * import { contractCases } from 'simba-xstate/testing'
 *
 * const backend = myBackend()
 * const pass = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
 * for (const { name, needs, run } of contractCases) {
 *   if (needs !== 'restart') test(name, () => run({ backend: () => backend, pass }))
 * }
 */
export { type ContractCase, type ContractHarness, contractCases } from './backends/contract.ts'
