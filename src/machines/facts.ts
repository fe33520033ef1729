/** What comes down from the client's session to everything that contends, and what goes wrong there: facts, never questions. */

import type { SessionLossReason } from '../model/endings.ts'
import type { PlainError } from '../model/errors.ts'

export type SessionFact =
  | { readonly type: 'session.opened'; readonly session: string }
  | { readonly type: 'session.lost'; readonly session: string; readonly reason: SessionLossReason }
  /** The store restarted. `holds` is what it still has in this session's name: lease by token. */
  | { readonly type: 'store.restarted'; readonly session: string; readonly holds: Readonly<Record<string, number>> }

/** A machine of this library failed: a defect. A term that it has left is told to end. */
export interface Crash {
  readonly lease: string
  readonly error: PlainError
}
