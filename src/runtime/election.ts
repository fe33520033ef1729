/** `simba.election(name)`: work that runs on the one node that leads. */
import type { ElectionEnd } from '../machines/election.ts'
import type { Leader } from '../model/answers.ts'
import { plainError } from '../model/errors.ts'
import { checkName } from '../model/names.ts'
import type { Schedule } from '../model/schedule.ts'
import { checkWork } from './checkWork.ts'
import type { Core } from './core.ts'
import { createElectionLogic, type ElectionLogic } from './electionLogic.ts'
import { guardedListener } from './listener.ts'
import { checkSchedule } from './schedules.ts'
import { stoppable, type Task } from './task.ts'
import type { TermWork } from './work.ts'

export interface Election {
  readonly name: string
  /**
   * Runs `work` once in each term. Work that returns early keeps the term until it ends; work that fails is logged and published, and
   * the term goes on without it.
   *
   * Throws `ALREADY_STARTED` while this client has something under the same name whose stop is not complete.
   *
   * @example
   * const ingest = simba.election('ingest').runWhileLeader(async (term) => {
   *   while (term.isValid) await sink.write(await source.poll({ signal: term.signal }), { fencingToken: term.token })
   * })
   */
  runWhileLeader(work: TermWork): Task
  /**
   * Runs `work` on a schedule in each term, never two runs at a time. A failed run does not end the loop.
   *
   * @example
   * simba.election('report').schedule(fixedRate('1m'), async (term) => { … })
   */
  schedule(schedule: Schedule, work: TermWork): Task
  /**
   * The same as `runWhileLeader`, as an actor logic for a machine of your own: the election begins when the machine invokes or spawns
   * it. The machine is sent `term.started`, `term.revoked` and `term.ended`, each with the lease and the token; it may send `STEP_DOWN`,
   * or `STOP`, after which the actor is done when the work has exited and the lease is released. An actor that is left or stopped by
   * the machine hands over in the same order, but nobody is told: send `STOP` and wait for its end where you mean to come back.
   *
   * The actor fails with `ALREADY_STARTED` where `runWhileLeader` would throw it.
   *
   * @example
   * const machine = setup({ actors: { election: simba.election('ingest').logic(work) } }).createMachine({
   *   initial: 'following',
   *   invoke: { id: 'election', src: 'election' },
   *   states: { following: { on: { 'term.started': 'leading' } }, leading: { on: { 'term.ended': 'following' } } },
   * })
   */
  logic(work: TermWork): ElectionLogic
  /** Who leads now; `null` where nobody does. Asks the store, and does not contend. */
  leader(): Promise<Leader | null>
  /**
   * Tells the listener who leads, now and after each change, while the client runs. Does not contend. Looks once per renew interval, so
   * that a reign shorter than that may go unseen. Returns a function that ends it.
   */
  observe(listener: (leader: Leader | null) => unknown): () => void
}

export function createElection(core: Core, name: string): Election {
  const lease = checkName('The name of the election', name)
  const { tasks, events } = core.runtime

  function start(work: TermWork, schedule?: Schedule, onEnd = () => {}): Task {
    checkWork(work)
    tasks.claimLease(lease)
    return startElection(core, {
      lease,
      work,
      schedule,
      ends: 'when-stopped',
      onEnd: () => {
        tasks.releaseLease(lease)
        onEnd()
      },
    })
  }

  return {
    name: lease,
    runWhileLeader: (work) => start(work),
    schedule: (schedule, work) => start(work, checkSchedule(schedule)),
    logic(work) {
      checkWork(work)
      return createElectionLogic({ lease, events, start: (onEnd) => start(work, undefined, onEnd) })
    },
    leader: () => core.runtime.store.leader(lease),
    observe: (listener) => observe(core, lease, listener),
  }
}

/** Starts an election for one lease, whose name its caller has claimed. `onEnd` is called once, when it has ended. */
export function startElection(core: Core, { lease, work, schedule, ends, onEnd }: ElectionStart): Task {
  const { terms, works, settings } = core.runtime
  works.set(lease, work)
  const input = { lease, work: lease, schedule, ends, restMs: settings.leaseDurationMs }
  const findActor = core.startChild(
    { kind: 'election', id: lease, input },
    ends === 'after-term' ? 'nothing' : 'stop',
    () => {
      works.delete(lease)
      onEnd()
    },
  )
  const task = stoppable(core, lease, findActor)
  return {
    get actor() {
      return task.actor
    },
    get term() {
      return terms.of(lease)
    },
    stop: task.stop,
    close: task.close,
    [Symbol.asyncDispose]: task.stop,
  }
}

interface ElectionStart {
  readonly lease: string
  readonly work: TermWork
  readonly schedule?: Schedule
  readonly ends: ElectionEnd
  readonly onEnd: () => void
}

function observe(core: Core, lease: string, listener: (leader: Leader | null) => unknown): () => void {
  const { observers, tasks, settings } = core.runtime
  const tell = guardedListener(listener, (error) =>
    settings.logger.error({ lease, err: plainError(error) }, 'A listener has failed.'),
  )
  const observer = `observer/${tasks.nextNumber()}`
  observers.set(observer, tell)
  const input = { observer, lease, everyMs: settings.renewIntervalMs }
  core.startChild({ kind: 'observer', id: observer, input }, 'stop', () => observers.delete(observer))
  return () => {
    observers.delete(observer)
    void core.stop(observer)
  }
}
