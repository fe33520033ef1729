/** Leader work as users give it, and one run of it. */
import { type AnyActorLogic, type AnyActorScope, createActor } from 'xstate'
import type { Executor } from './executors/executor.ts'
import type { Term } from './term.ts'

/** Runs while this client leads; returns when it is done, or soon after `term.signal` aborts. */
export type TermFunction = (term: Term) => unknown
/** The same for one partition of a group. */
export type PartitionFunction = (term: Term, partition: number) => unknown

/** What a machine (or any actor logic) gets as input when it is the leader work. */
export interface WorkLogicInput {
  readonly term: Term
  readonly partition?: number
}

/**
 * Sent to a machine that is the leader work when its term is told to end: it should come to a final state. A machine that has no
 * transition for it where it is, is stopped at once.
 */
export interface TermRevokedEvent {
  readonly type: 'term.revoked'
}

/** An async function, an XState actor logic whose input is `{ term, partition }`, or what `workerThread()` and `command()` return. */
export type TermWork = TermFunction | AnyActorLogic | Executor
export type PartitionWork = PartitionFunction | AnyActorLogic | Executor

/** One run, under way. */
export interface Run {
  /** Settles when nothing of the run is left. */
  readonly done: Promise<unknown>
  /** The term was told to end. */
  interrupt(): void
  /** Time is out: nobody waits any longer. */
  abandon(): void
}

/** The actor that runs the work. Only through it can XState stop an actor that has a parent. */
export type Host = Pick<AnyActorScope, 'self' | 'stopChild'>

/** A run on this event loop. */
export function startRun(work: PartitionFunction | AnyActorLogic, term: Term, host: Host): Run {
  return typeof work === 'function' ? runFunction(work, term) : runLogic(work, term, host)
}

function runFunction(work: PartitionFunction, term: Term): Run {
  return {
    // In a turn of its own: what the work does at once must not happen inside a transition.
    done: Promise.resolve().then(() => work(term, term.partition as number)),
    // Functions have the signal.
    interrupt() {},
    abandon() {},
  }
}

function runLogic(logic: AnyActorLogic, term: Term, host: Host): Run {
  const input: WorkLogicInput = { term, partition: term.partition }
  const actor = createActor(logic, { input, parent: host.self, id: 'work' })
  const done = new Promise<unknown>((resolve, reject) => {
    actor.subscribe({
      // A stopped actor completes without output.
      complete: () => resolve(actor.getSnapshot().output),
      error: reject,
    })
  })
  actor.start()
  return {
    done,
    interrupt() {
      const event: TermRevokedEvent = { type: 'term.revoked' }
      const snapshot: { can?: (event: TermRevokedEvent) => boolean } = actor.getSnapshot()
      if (snapshot.can && !snapshot.can(event)) host.stopChild(actor)
      else actor.send(event)
    },
    abandon: () => host.stopChild(actor),
  }
}
