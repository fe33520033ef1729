/**
 * One run of an executor. What is only asked of a function is enforced here: work that is still there when its term is out of time is
 * ended by force, and the lease is not released before it is gone.
 */
import { FatalWorkError, plainError, SimbaError } from '../../model/errors.ts'
import type { Settings } from '../settings.ts'
import type { LiveTerm } from '../term.ts'
import type { Terms } from '../terms.ts'
import type { Run } from '../work.ts'
import type { Execution, Executor } from './executor.ts'

export interface Surroundings {
  readonly settings: Pick<Settings, 'clock' | 'logger' | 'node' | 'leaseDurationMs'>
  readonly terms: Pick<Terms, 'watch'>
  /** Those under way. */
  readonly executions: Set<Execution>
}

export function startExecutorRun(executor: Executor, term: LiveTerm, surroundings: Surroundings): Run {
  const { settings, terms, executions } = surroundings
  const { clock, logger, node, leaseDurationMs } = settings
  const { lease, token, partition } = term
  const key = { lease, token, ...(partition !== undefined && { partition }), executor: executor.name }
  let isKilled = false
  let cancel = () => {}

  let execution: Execution
  try {
    execution = executor.execute({ term, node, logger })
  } catch (error) {
    return notStarted(executor, error)
  }
  executions.add(execution)
  // A thread within a long call of the system, or a process that waits for a dead disk, is not gone at once. No other term begins
  // meanwhile; but a stop must come to an end.
  term.awaitExitFor(leaseDurationMs)
  let told = { untilMs: term.deadlineMs, end: term.endReason }
  const unwatch = terms.watch(() => {
    const { deadlineMs: untilMs, endReason: end } = term
    if (untilMs === told.untilMs && end === told.end) return
    told = { untilMs, end }
    execution.look()
    awaitDeadline()
  })
  awaitDeadline()

  function awaitDeadline(): void {
    cancel()
    if (clock.now() >= term.deadlineMs) kill()
    else cancel = clock.wakeAt(term.deadlineMs, awaitDeadline)
  }

  function kill(): void {
    if (isKilled) return
    isKilled = true
    logger.warn(key, 'The term is out of time and its work is still there: it is ended by force.')
    execution.kill()
  }

  async function settled(): Promise<unknown> {
    try {
      return await execution.exited
    } catch (error) {
      throw isKilled ? killedError(key, error) : error
    } finally {
      cancel()
      unwatch()
      executions.delete(execution)
      term.awaitExitFor(0)
    }
  }

  return {
    done: settled(),
    // Whoever watches the term has learnt of its end.
    interrupt() {},
    abandon: () => execution.kill(),
  }
}

/** There are no threads or processes to be had here; on another node there may be. */
function notStarted({ name }: Executor, cause: unknown): Run {
  const message = `The ${name} could not be started: ${plainError(cause).message}`
  return { done: Promise.reject(new FatalWorkError(message, { cause })), interrupt() {}, abandon() {} }
}

function killedError({ lease, token }: Pick<LiveTerm, 'lease' | 'token'>, cause: unknown): SimbaError {
  const message = `The work of '${lease}' was ended by force when term ${token} was out of time.`
  return new SimbaError('WORK_KILLED', message, { cause })
}
