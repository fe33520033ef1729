/** Sessions that do not know what they are told, or do not tell it. */
import { callLogic } from '../../../src/runtime/actors.ts'
import { altered, broken, type Chart, redrawing, refilled } from './client.ts'
import type { Sabotage } from './sabotage.ts'

const session = redrawing('session')
const client = redrawing('client')

const foundBy = '11-a-calm-cluster-gets-a-leader'

export const sessions: readonly Sabotage[] = [
  {
    name: 'an unknown session is taken for an unknown outcome',
    create: broken({
      runtime: ({ store }) => ({
        store: altered(store, {
          async renew(session, epoch) {
            const renewed = await store.renew(session, epoch)
            if (renewed.answer.kind === 'unknown') throw new Error('Who knows?')
            return renewed
          },
        }),
      }),
    }),
    foundBy: '02-tokens-only-grow',
    noticedBy: ['validityIsEarned'],
  },
  {
    name: 'terms do not hear that their session is lost',
    create: client((at) => {
      at('active').on['session.lost'] = { actions: 'noteLoss' }
    }),
    foundBy,
    noticedBy: ['revokedIsTold', 'validityIsEarned', 'calmClusterLeads', 'freeLeasesAreTaken'],
  },
  {
    name: 'a lost session is not replaced',
    create: session((at) => {
      at('lost.expired').always = { target: '#session.closed' }
    }),
    foundBy,
    noticedBy: ['calmClusterLeads', 'freeLeasesAreTaken'],
  },
  {
    name: 'the inbox is not read',
    create: redrawing('session')(withoutInbox),
    foundBy,
    slice: { nodes: [2, 2], faults: ['weather', 'step-down', 'stop-task'], duties: 'elections' },
    noticedBy: ['calmClusterLeads', 'freeLeasesAreTaken'],
  },
  {
    name: 'hints are not heard',
    create: client((at) => {
      at('active').on['lease.freed'] = {}
    }),
    foundBy: '09-stop-is-complete',
    noticedBy: ['freeLeasesAreTaken'],
  },
  {
    name: 'a renewal is not brought forward to where another session could run out',
    create: broken({
      machines: ({ settings: { clock, renewIntervalMs } }) => ({
        session: (machine) =>
          machine.provide({
            actors: {
              pause: callLogic<void, { readonly forMs: number }>(
                (_, onStop) => new Promise((resolve) => onStop(clock.wakeAt(clock.now() + renewIntervalMs, resolve))),
              ),
            },
          }),
      }),
    }),
    foundBy,
    noticedBy: ['freeLeasesAreTaken'],
  },
  {
    name: 'renewals come in a burst',
    create: broken({
      machines: ({ settings: { clock } }) => ({
        session: (machine) =>
          machine.provide({
            actors: {
              pause: callLogic<void, { readonly forMs: number }>(
                (_, onStop) => new Promise((resolve) => onStop(clock.wakeAt(clock.now() + 100, resolve))),
              ),
            },
          }),
      }),
    }),
    foundBy,
    noticedBy: ['calmClusterLeads'],
  },
  {
    name: 'the end of a suspension is not told',
    create: refilled('session', { actions: { reportResumed() {} } }),
    foundBy,
    noticedBy: ['eventsArePaired'],
  },
]

function withoutInbox(at: (path: string) => Chart): void {
  for (const state of ['live.renewal.renewing', 'live.renewal.suspended.renewing']) {
    const answers = at(state).on['xstate.done.actor.renew'] as { actions?: unknown }[]
    for (const answer of answers)
      if (Array.isArray(answer.actions)) answer.actions = answer.actions.filter((action) => action !== 'tellInbox')
  }
}
