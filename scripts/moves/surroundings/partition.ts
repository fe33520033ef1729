/** A partition between its group, its session and its election. */
import { type Event, partitionMachine } from '../../../src/machines/partition.ts'
import { answers, FAILS, type Surroundings, told, wait } from '../surroundings.ts'

const INPUT = { lease: 'billing.0', partition: 0, work: 'billing', session: 's', restMs: 15_000 } as const
const tell = (event: Event) => told(event)

export const partition: Surroundings<typeof partitionMachine> = {
  machine: partitionMachine,
  starts: {
    'with a session': INPUT,
    'without a session': { ...INPUT, session: null },
    'after a crash': { ...INPUT, begins: 'after-crash' },
  },
  facts: {
    session: { why: 'an election that begins is given it', of: ({ session }) => (session === null ? 'none' : 'live') },
    begins: { why: 'how the next election begins', of: ({ begins = 'at-once' }) => begins },
  },
  leftOut: {
    restMs: 'is the length of a wait',
    partition: 'is a name',
    lease: 'is a name',
    work: 'is a name',
  },
  unsaid: ['lease', 'partition', 'work', 'session', 'restMs', 'forMs', 'error', 'holds'],
  comes: () => [
    tell({ type: 'partition.assign' }),
    tell({ type: 'partition.unassign' }),
    tell({ type: 'partition.stop' }),
    tell({ type: 'STEP_DOWN' }),
    tell({ type: 'lease.freed', lease: 'billing.0' }),
    tell({ type: 'session.opened', session: 's' }),
    tell({ type: 'session.lost', session: 's', reason: 'expired' }),
    tell({ type: 'store.restarted', session: 's', holds: {} }),
  ],
  ends: {
    election: () => [answers('stopped', { end: 'stopped' }), answers('stepped down', { end: 'stepped-down' }), FAILS],
    pause: wait,
  },
}
