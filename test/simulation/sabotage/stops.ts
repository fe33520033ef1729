/** Stops that are forgotten, incomplete, never done, or in the wrong order. */
import { fromPromise } from 'xstate'
import { callLogic } from '../../../src/runtime/actors.ts'
import { provideClient } from '../../../src/runtime/provide.ts'
import { checkOptions } from '../../../src/runtime/settings.ts'
import { createClient } from '../../../src/runtime/simba.ts'
import { altered, broken, redrawing, refilled } from './client.ts'
import type { Sabotage } from './sabotage.ts'

const foundBy = '09-stop-is-complete'

/** States of an election in which a stop can be forgotten, and whether that takes special work or faults to see. */
const FORGETFUL: Readonly<Record<string, Sabotage['slice']>> = {
  unready: { nodes: [1, 2], faults: ['cut', 'freeze', 'stop-task', 'flicker'] },
  'campaigning.wanted': { faults: ['weather', 'stop-task', 'stop-client'] },
  unsettled: { nodes: [1, 1], faults: ['weather', 'flicker'], duties: 'elections' },
  waiting: {},
  quarantined: { faults: ['restart', 'stop-task', 'stop-client'] },
  'holding.leading': {},
  'holding.handingOver.toContend': {
    faults: ['restart', 'stop-task', 'stop-client'],
    works: ['slow', 'never-settling'],
  },
  'holding.handingOver.toRest': { faults: ['step-down', 'stop-client'], works: ['slow', 'never-settling'] },
  'releasing.toRest': { nodes: [1, 2], faults: ['weather', 'flicker'], works: ['throwing'] },
  resting: { faults: ['step-down', 'stop-client'] },
}

const forgetful = Object.entries(FORGETFUL).map(
  ([state, slice]): Sabotage => ({
    name: `a stop is forgotten in ${state}`,
    create: redrawing('election')((at) => {
      at(state).on['election.stop'] = {}
    }),
    foundBy,
    slice,
    noticedBy: ['stopIsComplete', 'nothingUnwantedIsElected', 'partitionsStay'],
  }),
)

const session = redrawing('session')

export const stops: readonly Sabotage[] = [
  ...forgetful,
  {
    name: 'a stop that is awaited inside its own work waits for itself',
    create: (options) =>
      createClient(checkOptions(options), (runtime, doubt) =>
        // The runs belong to somebody else than whoever asks for the stop.
        provideClient({ ...runtime }, doubt),
      ),
    foundBy,
    noticedBy: ['stopIsComplete'],
  },
  {
    name: 'a stop from inside resolves before the interrupt is given',
    create: broken({
      runtime: ({ terms }) => ({
        terms: altered(terms, {
          begin: (identity, reign) =>
            Object.defineProperty(terms.begin(identity, reign), 'revoked', { value: Promise.resolve() }),
        }),
      }),
    }),
    foundBy,
    noticedBy: ['stopIsComplete'],
  },
  {
    name: 'the session is closed before the work has exited',
    create: redrawing('client')((at) => {
      at('active.stopping.order.handingOver').entry = ['closeSession', 'stopSupervisors']
    }),
    foundBy,
    noticedBy: ['handoverInOrder', 'validityIsEarned'],
  },
  {
    name: 'a client that stops leaves its session in the store',
    create: session((at) => {
      at('closing').invoke.src = 'disconnect'
    }),
    foundBy,
    noticedBy: ['stopIsComplete'],
  },
  {
    name: 'the closing of a session is tried once',
    create: session((at) => {
      at('closing').invoke.onError = { target: 'disconnecting' }
    }),
    foundBy,
    slice: { nodes: [1, 2], faults: ['stop-client', 'cut'] },
    noticedBy: ['stopIsComplete'],
  },
  {
    name: 'a session that is opened when it is wanted no more is kept',
    create: session((at) => {
      at('opening.unwanted').on['xstate.done.actor.open'] = '#session.disconnecting'
    }),
    foundBy,
    noticedBy: ['stopIsComplete'],
  },
  {
    name: 'a session is not closed that was opened without an answer',
    create: session((at) => {
      at('clearing').invoke.src = fromPromise(async () => {})
    }),
    foundBy: '11-a-calm-cluster-gets-a-leader',
    noticedBy: ['nothingUnwantedIsElected', 'stopIsComplete', 'calmClusterLeads', 'freeLeasesAreTaken'],
  },
  {
    name: 'the connection is kept after the stop',
    create: broken({ runtime: ({ store }) => ({ store: altered(store, { disconnect: async () => {} }) }) }),
    foundBy,
    noticedBy: ['stopIsComplete'],
  },
  {
    name: 'the timer of a handover is left behind',
    create: refilled('termWorker', { actions: { disarmDeadline() {} } }),
    foundBy,
    noticedBy: ['stopIsComplete'],
  },
  {
    name: 'a client that has stopped goes on asking',
    create: broken({
      machines: ({ store }) => ({
        session: (machine) =>
          machine.provide({
            actors: {
              disconnect: callLogic(async () => {
                void store.leader('d0').catch(() => {})
              }),
            },
          }),
      }),
    }),
    foundBy,
    noticedBy: ['stopIsComplete'],
  },
]
