/** The actor that runs work: told to stop, it waits; stopped itself, it leaves the work alone and says so. */
import { type AnyActorRef, type CallbackActorLogic, fromCallback } from 'xstate'
import type { RunSettled, WorkCommand, WorkInput } from '../machines/work.ts'
import type { Outcome } from '../model/endings.ts'
import { plainError } from '../model/errors.ts'
import { isExecutor } from './executors/executor.ts'
import { startExecutorRun } from './executors/executorRun.ts'
import { insideOf } from './inside.ts'
import type { Runtime } from './runtime.ts'
import type { LiveTerm } from './term.ts'
import { type Host, startRun } from './work.ts'

export function createWorkLogic(runtime: Runtime): CallbackActorLogic<WorkCommand, WorkInput, RunSettled> {
  const { settings, events, terms, works } = runtime
  const { clock, logger, isFatal } = settings
  const hosts = new WeakMap<AnyActorRef, Host>()
  const running = fromCallback<WorkCommand, WorkInput, RunSettled>(({ input, sendBack, receive, self }) => {
    const { lease, token, partition, run } = input
    const key = partition === undefined ? { lease, token } : { lease, token, partition }
    const term = terms.get(key)
    const work = works.get(input.work)
    if (!term || !work) throw new Error(`There is no term ${token} of ${lease}, or no work '${input.work}'.`)

    let state: 'running' | 'settled' | 'abandoned' = 'running'
    const startedMs = clock.now()
    events.publish({ type: 'work.started', ...key, run })
    const inside = { task: input.work, interrupted: () => term.revoked }
    const { result, settle } = insideOf(runtime, inside, () =>
      isExecutor(work) ? startExecutorRun(work, term, runtime) : startRun(work, term, hosts.get(self as AnyActorRef)!),
    )

    function complete(outcome: Outcome, thrown?: { readonly error: unknown }): void {
      const durationMs = clock.now() - startedMs
      const error = thrown && plainError(thrown.error)
      if (outcome === 'FAILED') logger.error({ ...key, run, err: error }, 'Leader work has failed.')
      events.publish({ type: 'work.completed', ...key, run, outcome, durationMs, ...(error && { error }) })
    }

    function exit(outcome: RunSettled['outcome'], thrown?: { readonly error: unknown }): void {
      settle()
      if (state === 'abandoned') {
        logger.info({ ...key, run, afterMs: clock.now() - startedMs }, 'Abandoned leader work has exited at last.')
        return
      }
      state = 'settled'
      const fatal = outcome === 'FAILED' && thrown !== undefined && isFatal(thrown.error)
      complete(outcome, thrown)
      sendBack({
        type: 'work.settled',
        outcome,
        fatal,
        atMs: clock.now(),
        ...(thrown && { error: plainError(thrown.error) }),
      })
    }

    result.done.then(
      () => exit('COMPLETED'),
      (error: unknown) => exit(isOver(term) ? 'CANCELLED' : 'FAILED', { error }),
    )
    receive(({ type }) => {
      // Work that is a machine also tells its parent that it is done.
      if (type === 'work.stop') result.interrupt()
    })

    return () => {
      if (state !== 'running') return
      state = 'abandoned'
      logger.warn(
        { ...key, run },
        'Leader work has ignored the interrupt until its term was out of time. It may still be running.',
      )
      complete('ABANDONED')
      result.abandon()
    }
  })

  return {
    ...running,
    start(snapshot, scope) {
      hosts.set(scope.self, scope)
      running.start?.(snapshot, scope)
    },
  }
}

function isOver(term: LiveTerm): boolean {
  return term.isRevoked || !term.isValid
}
