/**
 * For tests: the contract that every backend keeps, to run against a backend of your own with any test runner, and a simulated world
 * in which whole clients and their leader work run under virtual time and faults.
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

export type { ContractCase, ContractHarness } from './backends/contract/case.ts'
export { contractCases } from './backends/contract.ts'
/** What a backend of your own implements. */
export type * from './backends/port.ts'
export { NotSentError } from './backends/port.ts'
export type { Cut, Link } from './simulation/link.ts'
export type { LineSubject, LogLine, SimulationLog } from './simulation/log.ts'
export type { ClockTraits, MachineClock } from './simulation/machineClock.ts'
export type { NodeOptions, SimulatedNode } from './simulation/node.ts'
export { Random } from './simulation/random.ts'
export { createSimulation, type Simulation, type SimulationOptions } from './simulation/simulation.ts'
export type { Executed, SimulatedStore } from './simulation/store.ts'
export type { VirtualTime } from './simulation/virtualTime.ts'
export type { Weather } from './simulation/weather.ts'
