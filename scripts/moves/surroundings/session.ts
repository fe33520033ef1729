/** A session between its client, its store and its clock; one store can push hints, the other is looked at. */
import { type Event, type Renewed, sessionMachine } from '../../../src/machines/session.ts'
import { answers, answersOddly, FAILS, type Surroundings, told, wait } from '../surroundings.ts'

const VALID_UNTIL_MS = 15_000
const INBOX = { freed: [], groups: {} }
const OPENED = { session: 's', epoch: 1, validUntilMs: VALID_UNTIL_MS }
const RENEWED: Renewed = {
  answer: { kind: 'renewed', inbox: INBOX, nextExpiryInMs: null, epoch: 1 },
  validUntilMs: VALID_UNTIL_MS,
}
const RESTARTED: Renewed = {
  answer: { kind: 'renewed', inbox: INBOX, nextExpiryInMs: null, epoch: 2, holds: [{ lease: 'ingest', token: 1 }] },
  validUntilMs: VALID_UNTIL_MS,
}
const UNKNOWN: Renewed = { answer: { kind: 'unknown' }, validUntilMs: VALID_UNTIL_MS }
const TOO_LATE = { hasRunOut: true }

const tell = (event: Event) => told(event)

export const session: Surroundings<typeof sessionMachine> = {
  machine: sessionMachine,
  starts: {
    'at a store that pushes': { renewIntervalMs: 5_000 },
    'at a store that is looked at': { renewIntervalMs: 5_000, pollIntervalMs: 1_000 },
  },
  facts: {
    attempt: {
      why: 'after a failure there is a pause before the next opening',
      of: ({ attempt }) => (attempt > 0 ? 'failed' : 'none failed'),
    },
    store: {
      why: 'one that cannot push is looked at',
      from: ['pollIntervalMs'],
      of: ({ pollIntervalMs }) => (pollIntervalMs === undefined ? 'pushes' : 'is looked at'),
    },
  },
  leftOut: {
    renewIntervalMs: 'is the length of a wait',
    session: 'is a name',
    validUntilMs: 'is a time; the clock is asked about it',
    epoch: 'is for the store',
    nextExpiryInMs: 'makes a wait shorter',
    holds: 'is passed on',
    inbox: 'is passed on',
  },
  questions: { hasRunOut: false },
  unsaid: ['session', 'validUntilMs', 'atMs', 'epoch', 'attempt', 'forMs', 'holds', 'inbox', 'error'],
  comes: () => [tell({ type: 'session.close' }), tell({ type: 'session.doubted' }), tell({ type: 'session.revoked' })],
  ends: {
    open: () => [answers('opened', OPENED), answers('opened too late', OPENED, TOO_LATE), FAILS],
    renew: () => [
      answers('renewed', RENEWED),
      answers('renewed too late', RENEWED, TOO_LATE),
      answers('renewed, and restarted', RESTARTED),
      answersOddly('unknown', UNKNOWN),
      FAILS,
    ],
    look: () => [
      answers('inbox', { kind: 'inbox', inbox: INBOX }),
      answersOddly('unknown', { kind: 'unknown' }),
      FAILS,
    ],
    clear: () => [answers('cleared'), FAILS],
    disconnect: wait,
    returnStrays: () => [answers('returned'), FAILS],
    deadline: wait,
    pause: wait,
    backoff: wait,
    retryDelay: wait,
  },
}
