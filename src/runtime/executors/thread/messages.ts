/** What the two threads say to each other, besides what they see in the shared memory. */
import type { TermIdentity } from '../../term.ts'

/** What a thread is started with. */
export interface ThreadStart {
  readonly module: string
  readonly export: string
  readonly term: TermIdentity
  readonly memory: SharedArrayBuffer
}

/** To the thread: there is something new in the memory. */
export const LOOK = 'look'

/** From the thread, once. */
export type ThreadEnd =
  | { readonly kind: 'completed'; readonly isOutOfTime: boolean }
  | { readonly kind: 'failed'; readonly error: ThrownThere }
  /** There is nothing to run. */
  | { readonly kind: 'missing'; readonly message: string; readonly error?: ThrownThere }

/** An error on its way between threads. */
export interface ThrownThere {
  readonly name: string
  readonly message: string
  readonly code?: string
  readonly stack?: string
}
