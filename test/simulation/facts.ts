/** What can be seen of a cluster from outside: what the store did, what clients published, what leader work saw, what people asked for. */
import type { SimbaEvent, Term, TermEndReason } from '../../src/index.ts'
import type { SimulatedProcess } from '../../src/simulation/process.ts'
import type { Executed, SimulatedNode } from '../../src/testing.ts'
import type { Duty } from './plan.ts'

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
  revoked?: { readonly atMs: number; readonly reason: TermEndReason; readonly deadlineMs: number }
  endedAtMs?: number
}

export interface SeenRun {
  readonly of: SeenTerm
  readonly startedAtMs: number
  /** For how long its node had been held in all when it started. */
  readonly heldMs: number
  interruptedAtMs?: number
  exited?: { readonly atMs: number; readonly thrown?: unknown }
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
  | { readonly type: 'published'; readonly node: SimulatedNode; readonly event: SimbaEvent }
  | { readonly type: 'term.started' | 'term.revoked' | 'term.ended'; readonly term: SeenTerm }
  | { readonly type: 'run.started' | 'run.looked' | 'run.interrupted' | 'run.exited'; readonly run: SeenRun }
  | { readonly type: 'stop.asked' | 'stop.done'; readonly stop: SeenStop }
  /** The faults are over, and the bound has passed within which everything that is wanted must be led. */
  | { readonly type: 'calm' }
  /** All clients have been told to stop, and have had time for it. */
  | { readonly type: 'end' }
