/** An election between its session, its store and whoever stops it. */
import { type Event, electionMachine } from '../../../src/machines/election.ts'
import { answers, answersOddly, FAILS, type Surroundings, told, wait } from '../surroundings.ts'

const INPUT = { lease: 'ingest', work: 'ingest', session: 's', ends: 'when-stopped', restMs: 15_000 } as const
const tell = (event: Event, note?: string) => told(event, note)

export const election: Surroundings<typeof electionMachine> = {
  machine: electionMachine,
  starts: {
    'with a session': INPUT,
    'without a session': { ...INPUT, session: null },
    'after a crash': { ...INPUT, begins: 'after-crash' },
    'after a crash, without a session': { ...INPUT, begins: 'after-crash', session: null },
    'until it steps down': { ...INPUT, ends: 'after-step-down' },
    'for one term': { ...INPUT, ends: 'after-term' },
  },
  facts: {
    session: { why: 'there is one to campaign with', of: ({ session }) => (session === null ? 'none' : 'live') },
    ends: { why: 'when the election is over by itself', of: ({ ends }) => ends },
    attempt: {
      why: 'a lease that is not held any more has been given back by an earlier attempt, or is lost',
      of: ({ attempt }) => (attempt > 0 ? 'repeated' : 'first'),
    },
  },
  leftOut: {
    begins: 'is asked once, at the beginning',
    token: 'is only compared with what a restarted store holds',
    quarantineMs: 'is the length of a wait',
    restMs: 'is the length of a wait',
    end: 'is what was decided on the way to `stopped`',
    lease: 'is a name',
    work: 'is a name',
  },
  questions: { wasGrantedInTime: false },
  unsaid: ['lease', 'token', 'session', 'work', 'schedule', 'attempt', 'restMs', 'forMs', 'error'],
  comes: ({ context: { token } }) => [
    tell({ type: 'election.stop', reason: 'stopped' }),
    tell({ type: 'STEP_DOWN' }),
    tell({ type: 'lease.freed', lease: 'ingest' }),
    tell({ type: 'session.opened', session: 's' }),
    tell({ type: 'session.lost', session: 's', reason: 'expired' }),
    tell({ type: 'store.restarted', session: 's', holds: { ingest: token } }, 'it knows the grant'),
    tell({ type: 'store.restarted', session: 's', holds: {} }, 'it has forgotten the grant'),
  ],
  ends: {
    campaign: ({ context: { token } }) => [
      answers('granted in time', { kind: 'granted', token: token + 1 }, { wasGrantedInTime: true }),
      answers('granted too late', { kind: 'granted', token: token + 1 }),
      answers('held', { kind: 'held', holder: 'other' }),
      answers('quarantined', { kind: 'quarantined', retryInMs: 1_000 }),
      answers('unknown', { kind: 'unknown' }),
      answersOddly('stale', { kind: 'stale' }),
      FAILS,
    ],
    withdraw: () => [
      answers('withdrawn', { kind: 'withdrawn' }),
      answers('unknown', { kind: 'unknown' }),
      answersOddly('stale', { kind: 'stale' }),
      FAILS,
    ],
    release: () => [
      answers('released', { kind: 'released' }),
      answers('not held', { kind: 'not-held' }),
      answers('unknown', { kind: 'unknown' }),
      answersOddly('stale', { kind: 'stale' }),
      FAILS,
    ],
    termWorker: () => [
      answers('ended as it was told', { reason: 'stopped' }),
      answers('ended by fatal work', { reason: 'fatal-work' }),
      answersOddly('ended by a crash', { reason: 'crashed' }),
      FAILS,
    ],
    termDeadline: wait,
    backoff: wait,
    pause: wait,
  },
  // It has failed, and is there until its state is left.
  over: (snapshot) => (snapshot.matches({ holding: 'outlasting' }) ? ['term'] : []),
}
