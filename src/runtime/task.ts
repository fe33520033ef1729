/** What a user has in hand of something that was started. */
import type { AnyActorRef } from 'xstate'
import type { Core } from './core.ts'
import type { Term } from './term.ts'

/**
 * Leader work that was declared: it begins with START, or at once on a client that runs, goes through a STOP and START of the client,
 * and ends with its own `stop()`.
 */
export interface Stoppable extends AsyncDisposable {
  /** The actor that does it; `undefined` while the client is not running. */
  readonly actor: AnyActorRef | undefined
  /**
   * Ends it for good: interrupts the work, waits for its exit (at most for the time that the term has left), releases the lease.
   * Resolves when all that is done; awaited from inside the work itself, when the interrupt is given. Twice is as good as once.
   */
  stop(): Promise<void>
  /** The same as `stop()`. */
  close(): Promise<void>
}

export interface Task extends Stoppable {
  /** The term in which this client leads now. */
  readonly term: Term | undefined
}

export interface GroupTask extends Stoppable {
  /** The partitions that this node runs in its latest view, in ascending order. */
  partitions(): readonly number[]
  /** The term in which this client runs the partition now. */
  term(partition: number): Term | undefined
  /** The actor of the partition, while this client has to do with it. Sent `STEP_DOWN`, it leaves the partition to others for a while. */
  actorOf(partition: number): AnyActorRef | undefined
}

/** The part that all kinds have in common. */
export function stoppable(core: Core, id: string, findActor: () => AnyActorRef | undefined): Stoppable {
  const stop = () => core.stop(id)
  return {
    get actor() {
      return findActor()
    },
    stop,
    close: stop,
    [Symbol.asyncDispose]: stop,
  }
}
