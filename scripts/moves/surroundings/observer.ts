/** An observer between the store that it asks and whoever stops it. */
import { type Event, observerMachine } from '../../../src/machines/observer.ts'
import { answers, FAILS, type Surroundings, told, wait } from '../surroundings.ts'

const tell = (event: Event) => told(event)

export const observer: Surroundings<typeof observerMachine> = {
  machine: observerMachine,
  starts: { 'for a lease': { observer: 'o', lease: 'ingest', everyMs: 5_000 } },
  facts: {
    leader: {
      why: 'only what is new is told',
      of: ({ leader }) => {
        if (leader === undefined) return 'not asked'
        return leader === null ? 'nobody' : `${leader.node} in term ${leader.token}`
      },
    },
  },
  leftOut: {
    observer: 'is a name',
    lease: 'is a name',
    everyMs: 'is the length of a wait',
  },
  unsaid: ['observer', 'lease', 'forMs'],
  comes: () => [
    tell({ type: 'observer.stop' }),
    tell({ type: 'session.opened', session: 's' }),
    tell({ type: 'session.lost', session: 's', reason: 'expired' }),
    tell({ type: 'store.restarted', session: 's', holds: {} }),
  ],
  ends: {
    readLeader: () => [
      answers('nobody', null),
      answers('a in term 1', { node: 'a', token: 1 }),
      answers('a in term 2', { node: 'a', token: 2 }),
      answers('b in term 2', { node: 'b', token: 2 }),
      FAILS,
    ],
    pause: wait,
  },
}
