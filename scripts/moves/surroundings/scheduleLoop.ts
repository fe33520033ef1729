/** A schedule's loop between its term, its timer and its runs. */
import { type Event, scheduleLoopMachine } from '../../../src/machines/scheduleLoop.ts'
import { comes, FAILS, type Surroundings, told } from '../surroundings.ts'

const DUE = { type: 'timer.due', dueMs: 0, nowMs: 0 } as const satisfies Event
const SETTLED = { type: 'work.settled', outcome: 'COMPLETED', fatal: false, atMs: 0 } as const satisfies Event

export const scheduleLoop: Surroundings<typeof scheduleLoopMachine> = {
  machine: scheduleLoopMachine,
  starts: {
    'with a schedule': {
      lease: 'ingest',
      token: 1,
      work: 'ingest',
      schedule: { kind: 'fixedRate', everyMs: 60_000, initialDelayMs: 0 },
    },
  },
  facts: {},
  leftOut: {
    run: 'is a number',
    startMs: 'is a time',
    next: 'is a time',
    schedule: 'says how long waits are',
    lease: 'is a name',
    token: 'is a name',
    work: 'is a name',
  },
  questions: { termIsValid: true },
  unsaid: ['lease', 'token', 'work', 'run', 'starts', 'atMs', 'afterMs'],
  comes: () => [
    told({ type: 'work.stop' } satisfies Event),
    comes(DUE, 'the term is valid'),
    comes(DUE, 'the term is over', { answers: { termIsValid: false } }),
    comes(SETTLED, 'not fatal', { ends: 'run' }),
    comes({ ...SETTLED, outcome: 'FAILED', fatal: true } satisfies Event, 'fatal', { ends: 'run' }),
  ],
  ends: {
    work: () => [FAILS],
  },
}
