/** What a client and the guard of its command say to each other: one line of JSON each. */
import type { SharedDeadline } from '../../clock/machine.ts'

export interface CommandStart {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd?: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export type ToGuard =
  | ({ readonly kind: 'run'; readonly deadline: SharedDeadline } & CommandStart)
  /** The term was extended. */
  | { readonly kind: 'extend'; readonly deadline: SharedDeadline }
  /** The term was told to end: from here on the deadline is fixed. */
  | { readonly kind: 'interrupt'; readonly deadline: SharedDeadline }
  | { readonly kind: 'kill' }

export type FromGuard =
  | { readonly kind: 'started'; readonly group: number }
  | { readonly kind: 'unstarted'; readonly code: string; readonly message: string }
  /** Nothing of the group is left. */
  | { readonly kind: 'gone'; readonly exitCode: number | null; readonly signal: string | null }
