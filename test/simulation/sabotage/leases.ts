/** Elections that lose track of what the store has in their name. */
import type { ReleaseAnswer, WithdrawAnswer } from '../../../src/backends/port.ts'
import type { LeaseCall } from '../../../src/machines/election.ts'
import { callLogic } from '../../../src/runtime/actors.ts'
import { redrawing, refilled } from './client.ts'
import type { Sabotage } from './sabotage.ts'

const election = redrawing('election')

const DONE = 'xstate.done.actor.campaign'
const FAILED = 'xstate.error.actor.campaign'

export const leases: readonly Sabotage[] = [
  {
    name: 'a hint is trusted as a grant',
    create: election((at) => {
      const key = ({ context }: { context: { lease: string; token: number; session: string } }) => ({
        lease: context.lease,
        token: context.token,
        session: context.session,
      })
      at('waiting').on['lease.freed'] = { target: 'holding', actions: { type: 'beginTerm', params: key } }
    }),
    foundBy: '01-one-term-at-a-time',
    noticedBy: ['tokensGrow', 'oneTermAtATime'],
  },
  {
    name: 'a campaign whose answer is lost counts as refused',
    create: election((at) => {
      at('campaigning.wanted').on[FAILED] = '#election.waiting'
    }),
    foundBy: '11-a-calm-cluster-gets-a-leader',
    slice: { nodes: [2, 2], faults: ['weather', 'step-down'], duties: 'elections' },
    noticedBy: ['nothingUnwantedIsElected', 'freeLeasesAreTaken', 'calmClusterLeads'],
  },
  {
    name: 'a stop walks away from a campaign',
    create: election((at) => {
      at('campaigning.wanted').on['election.stop'] = '#election.stopped'
    }),
    foundBy: '09-stop-is-complete',
    noticedBy: ['stopIsComplete', 'nothingUnwantedIsElected', 'freeLeasesAreTaken'],
  },
  {
    name: 'a grant that comes after the stop is kept',
    create: election((at) => {
      at('campaigning.stopping').on[DONE] = '#election.stopped'
    }),
    foundBy: '09-stop-is-complete',
    noticedBy: ['stopIsComplete', 'nothingUnwantedIsElected', 'freeLeasesAreTaken'],
  },
  {
    name: 'a withdrawal never reaches the store',
    create: refilled('election', {
      actors: {
        withdraw: callLogic<WithdrawAnswer, LeaseCall & { readonly attempt: number }>(async () => ({
          kind: 'withdrawn',
        })),
      },
    }),
    foundBy: '09-stop-is-complete',
    noticedBy: ['nothingUnwantedIsElected', 'freeLeasesAreTaken', 'stopIsComplete'],
  },
  {
    name: 'a release never reaches the store',
    create: refilled('election', {
      actors: {
        release: callLogic<ReleaseAnswer, LeaseCall & { readonly token: number; readonly attempt: number }>(
          async () => ({ kind: 'released' }),
        ),
      },
    }),
    foundBy: '09-stop-is-complete',
    noticedBy: ['stopIsComplete', 'nothingUnwantedIsElected', 'freeLeasesAreTaken'],
  },
  {
    name: 'a release that fails is not tried again',
    create: election((at) => {
      at('releasing').on['xstate.error.actor.release'] = '#election.next.toContend'
    }),
    foundBy: '05-handover-in-order',
    noticedBy: ['nothingUnwantedIsElected', 'stopIsComplete', 'restsAreKept', 'freeLeasesAreTaken', 'tokensGrow'],
  },
  {
    name: 'who waits in line does not hear that the session is lost',
    create: election((at) => {
      at('waiting').on['session.lost'] = { actions: 'noteLoss' }
    }),
    foundBy: '11-a-calm-cluster-gets-a-leader',
    slice: { nodes: [2, 2], faults: ['cut', 'pause', 'step-down'], duties: 'elections' },
    noticedBy: ['freeLeasesAreTaken', 'calmClusterLeads'],
  },
  {
    name: 'who waits in line does not look when the lease is offered',
    create: election((at) => {
      at('waiting').on['lease.freed'] = {}
    }),
    foundBy: '11-a-calm-cluster-gets-a-leader',
    noticedBy: ['freeLeasesAreTaken', 'calmClusterLeads'],
  },
  {
    name: 'an offer during a campaign is forgotten',
    create: election((at) => {
      at('campaigning.wanted').on['lease.freed'] = {}
    }),
    foundBy: '11-a-calm-cluster-gets-a-leader',
    slice: {
      nodes: [2, 2],
      works: ['throwing', 'stopping-itself'],
      faults: ['step-down'],
      duties: 'elections',
      schedules: 'never',
    },
    noticedBy: ['freeLeasesAreTaken', 'calmClusterLeads'],
  },
  {
    name: 'nobody campaigns after a quarantine',
    create: election((at) => {
      at('quarantined').invoke.onDone = { target: 'waiting' }
    }),
    foundBy: '11-a-calm-cluster-gets-a-leader',
    noticedBy: ['freeLeasesAreTaken', 'calmClusterLeads'],
  },
  {
    name: 'nobody contends again after a loss',
    create: election((at) => {
      at('next.toContend').always = { target: '#election.resting' }
    }),
    foundBy: '11-a-calm-cluster-gets-a-leader',
    noticedBy: ['restsAreKept', 'freeLeasesAreTaken', 'calmClusterLeads'],
  },
]
