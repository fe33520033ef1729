/** A term between the election that holds its lease, its work, and the timer of its deadline. */
import { type Event, termWorkerMachine } from '../../../src/machines/termWorker.ts'
import { answers, comes, FAILS, type Surroundings, told } from '../surroundings.ts'

const INPUT = { lease: 'ingest', token: 1, work: 'ingest' } as const
const SCHEDULE = { kind: 'fixedRate', everyMs: 60_000, initialDelayMs: 0 } as const

export const termWorker: Surroundings<typeof termWorkerMachine> = {
  machine: termWorkerMachine,
  starts: {
    'with a block of work': INPUT,
    'with a schedule': { ...INPUT, schedule: SCHEDULE },
  },
  facts: {
    reason: { why: 'of the end of the term; the election decides by it whether to rest', of: ({ reason }) => reason },
  },
  leftOut: {
    schedule: 'is asked once, at the beginning',
    lease: 'is a name',
    token: 'is a name',
    work: 'is a name',
  },
  unsaid: ['lease', 'token', 'work', 'run', 'schedule', 'error'],
  comes: () => [
    told({ type: 'term.revoke', reason: 'moved' } satisfies Event),
    told({ type: 'term.cut', reason: 'expired' } satisfies Event),
    comes({ type: 'work.settled', outcome: 'COMPLETED', fatal: false } satisfies Event, 'not fatal', { ends: 'work' }),
    comes({ type: 'work.settled', outcome: 'FAILED', fatal: true } satisfies Event, 'fatal', { ends: 'work' }),
    comes({ type: 'timer.due', dueMs: 0, nowMs: 0 } satisfies Event),
  ],
  ends: {
    // A conversation has no end of its own; whoever runs the work may fail.
    work: () => [FAILS],
    scheduleLoop: () => [answers('over'), FAILS],
  },
  over: (snapshot) => (snapshot.matches({ once: 'idle' }) ? ['work'] : []),
}
