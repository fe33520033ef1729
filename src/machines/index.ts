/**
 * The machines, for other XState applications. Each leaves open what touches a clock, a store or your code: provide those slots
 * with `machine.provide(...)`, or invoke `simba.election(name).logic(work)`, whose slots a client has provided.
 */
export { type ClientCommand, type ClientInput, clientMachine, type TaskSpec } from './client.ts'
export { type ChildSpec, type CohortCommand, type CohortFact, cohortMachine } from './cohort.ts'
export { type ElectionCommand, type ElectionInput, type ElectionOutput, electionMachine } from './election.ts'
export type { SessionFact } from './facts.ts'
export {
  type GroupSpec,
  type GroupSupervisorInput,
  groupSupervisorMachine,
  type SupervisorCommand,
  type View,
} from './groupSupervisor.ts'
export { type ObserverInput, observerMachine } from './observer.ts'
export { type PartitionCommand, type PartitionFact, type PartitionInput, partitionMachine } from './partition.ts'
export { type ScheduleLoopInput, scheduleLoopMachine } from './scheduleLoop.ts'
export {
  type SessionCommand,
  type SessionHint,
  type SessionInput,
  type SessionReport,
  sessionMachine,
} from './session.ts'
export type { TermKey } from './term.ts'
export { type TermCommand, type TermWorkerInput, type TermWorkerOutput, termWorkerMachine } from './termWorker.ts'
export type { RunSettled, WorkCommand, WorkInput, WorkSettled } from './work.ts'
