/** Leader work in a place of its own, which ends when the test says so, and notes what it is told. */
import type { Assignment, Execution, Executor } from '../../src/runtime/executors/executor.ts'
import { type Held, held } from './work.ts'

export class FakeExecution implements Execution {
  readonly assignment: Assignment
  looks = 0
  kills = 0
  readonly #exit: Held<unknown> = held<unknown>()
  readonly #onKill: (execution: FakeExecution) => void

  constructor(assignment: Assignment, onKill: (execution: FakeExecution) => void) {
    this.assignment = assignment
    this.#onKill = onKill
  }

  get exited(): Promise<unknown> {
    return this.#exit.promise
  }

  look(): void {
    this.looks += 1
  }

  kill(): void {
    this.kills += 1
    this.#onKill(this)
  }

  exit(): void {
    this.#exit.resolve(undefined)
  }

  fail(error: unknown): void {
    this.#exit.reject(error)
  }
}

export class FakeExecutor implements Executor {
  readonly name = 'fake'
  readonly executions: FakeExecution[] = []
  /** What becomes of an execution that is killed. By default it is gone at once. */
  onKill: (execution: FakeExecution) => void = (execution) => execution.fail(new Error('killed'))

  execute(assignment: Assignment): FakeExecution {
    const execution = new FakeExecution(assignment, (killed) => this.onKill(killed))
    this.executions.push(execution)
    return execution
  }

  get last(): FakeExecution {
    return this.executions.at(-1)!
  }
}
