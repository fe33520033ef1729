/** Leader work for Node.js, as state charts. */

export type { Leader, Member } from './model/answers.ts'
export type { Balance } from './model/assignment/assignment.ts'
export type { Outcome, TermEndReason } from './model/endings.ts'
export {
  CommandFailedError,
  FatalWorkError,
  type PlainError,
  SimbaError,
  type SimbaErrorCode,
  TermExpiredError,
} from './model/errors.ts'
export type { SimbaEvent } from './model/events.ts'
export type { Logger } from './model/logger.ts'
export type { Schedule } from './model/schedule.ts'
export type { Contender, Survey, SurveyedGroup, SurveyedHolder, SurveyedLease } from './model/survey.ts'
export type { Duration } from './runtime/durations.ts'
export type { Election } from './runtime/election.ts'
export type { ElectionLogic, ElectionLogicCommand, TermEvent } from './runtime/electionLogic.ts'
export type { SimbaEventOf, SimbaEventType, SimbaListener } from './runtime/events.ts'
export { type CommandOptions, type CommandOutput, command, type OutputLine } from './runtime/executors/command.ts'
export type { Executor } from './runtime/executors/executor.ts'
export { type WorkerThreadOptions, workerThread } from './runtime/executors/workerThread.ts'
export type { Group, GroupOptions } from './runtime/group.ts'
export type { AcquireOptions, HeldLock, Lock } from './runtime/lock.ts'
export type { Resolve } from './runtime/placeholders.ts'
export type { RegisteredMethod } from './runtime/plan.ts'
export type { RegisterOptions, Registration } from './runtime/register.ts'
export { fixedDelay, fixedRate, type ScheduleOptions } from './runtime/schedules.ts'
export type { Environment, SimbaOptions } from './runtime/settings.ts'
export type { SignalOptions } from './runtime/signals.ts'
export { createSimba, type Simba, type SimbaCommand, type SimbaSnapshot } from './runtime/simba.ts'
export type { GroupTask, Stoppable, Task } from './runtime/task.ts'
export type { Term } from './runtime/term.ts'
export type {
  PartitionFunction,
  PartitionWork,
  TermFunction,
  TermRevokedEvent,
  TermWork,
  WorkLogicInput,
} from './runtime/work.ts'
