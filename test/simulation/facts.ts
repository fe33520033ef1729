/** What can be seen of a cluster from outside: what the store did, what clients published, what leader work saw, what people asked for. */
import type { SimbaEvent, Term, TermEndReason } from '../../src/index.ts'
import type { SimulatedProcess } from '../../src/simulation/process.ts'
import type { Executed, SimulatedNode } from '../../src/testing.ts'
import type { Duty } from './plan.ts'

/** An instant in true time, and for how long the node had been held in all by then. */
export interface Moment {
  readonly atMs: number
  readonly heldMs: number
}

/** Instants are in true time. */
export interface SeenTerm {
  readonly node: SimulatedNode
  readonly process: SimulatedProcess
  readonly duty: Duty
  readonly term: Term
  readonly lease: string
  readonly token: number
  readonly partition?: number
  readonly startedAtMs: number
  readonly runs: SeenRun[]
  /** When the revoke was published, and the deadline that it fixed. */
  revoked?: Moment & { readonly reason: TermEndReason; readonly deadlineMs: number }
  ended?: Moment
}

export interface SeenRun {
  /** The term that its node had when it started. */
  readonly of: SeenTerm
  /** The term that it was given. */
  readonly term: Term
  readonly startedAtMs: number
  /** For how long its node had been held in all when it started. */
  readonly heldMs: number
  interrupted?: Moment
  exited?: Moment & { readonly thrown?: unknown }
}

export interface SeenStop {
  readonly node: SimulatedNode
  readonly process: SimulatedProcess
  /** Of the whole client where there is none. */
  readonly duty?: Duty
  readonly askedAtMs: number
  readonly heldMs: number
  /** It was asked for by the very work that it stops. */
  readonly isFromInside: boolean
}

export type Fact =
  | { readonly type: 'executed'; readonly executed: Executed }
  /** The answer has reached the node. */
  | { readonly type: 'answered'; readonly node: SimulatedNode; readonly executed: Executed }
  /** A client begins, for the first time, after a crash or after a stop. */
  | { readonly type: 'started'; readonly node: SimulatedNode }
  | { readonly type: 'published'; readonly node: SimulatedNode; readonly event: SimbaEvent }
  /** The runtime says of itself that one of its machines is in status `error`. */
  | { readonly type: 'machine.failed'; readonly node: string; readonly message: string }
  | { readonly type: 'term.started' | 'term.revoked' | 'term.ended'; readonly term: SeenTerm }
  | { readonly type: 'run.started' | 'run.looked' | 'run.interrupted' | 'run.exited'; readonly run: SeenRun }
  | { readonly type: 'stop.asked' | 'stop.done'; readonly stop: SeenStop }
  | { readonly type: 'step-down.asked'; readonly node: SimulatedNode; readonly lease: string }
  /** The faults are over, and the bound has passed within which everything that is wanted must be led. */
  | { readonly type: 'calm' }
  /** For a while, nothing should have happened. */
  | { readonly type: 'quiet' }
  /** All clients have been told to stop, and have had time for it. */
  | { readonly type: 'end' }
