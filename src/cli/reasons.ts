/** Why a term has ended, for people. */
import type { TermEndReason } from '../model/endings.ts'

const REASONS: Readonly<Record<TermEndReason, string>> = {
  stopped: 'stopped as asked',
  moved: 'the partition has moved to another node',
  'stepped-down': 'stepped down',
  'fatal-work': 'the command cannot run here',
  'session-lost': 'the store has ended the session',
  expired: 'the lease could not be renewed in time',
  forgotten: 'the store has restarted and forgotten the grant',
  crashed: 'a defect of simba',
}

export function told(reason: TermEndReason): string {
  return REASONS[reason]
}
