/** Groups whose members disagree, or do not hear of each other. */
import type { JoinAnswer, LeaveAnswer } from '../../../src/backends/port.ts'
import type { GroupCall } from '../../../src/machines/groupSupervisor.ts'
import type { AssignedMember } from '../../../src/model/assignment/assignment.ts'
import { callLogic } from '../../../src/runtime/actors.ts'
import { altered, broken, redrawing, refilled } from './client.ts'
import type { Sabotage } from './sabotage.ts'

const supervisor = redrawing('groupSupervisor')
const partition = redrawing('partition')

const foundBy = '10-partitions'

export const groups: readonly Sabotage[] = [
  {
    name: 'the assignment depends on the order of the members',
    create: broken({
      runtime: ({ assignments }) => ({
        assignments: altered(assignments, {
          of({ partitions }) {
            let members: readonly AssignedMember[] = []
            const owners = () =>
              Array.from({ length: partitions }, (_, p) => members[p % members.length]?.session ?? null)
            return {
              update(view) {
                members = view
              },
              of: (session) => owners().flatMap((owner, p) => (owner === session ? [p] : [])),
              owners,
            }
          },
        }),
      }),
    }),
    foundBy,
    noticedBy: ['viewsAgree', 'calmClusterLeads', 'partitionsStay'],
  },
  {
    name: 'kept partitions are restarted by a rebalance',
    create: supervisor((at) => {
      for (const state of ['current', 'outdated']) {
        const answers = at(`membership.inside.viewing.${state}`).on
        const [view, ...others] = answers['xstate.done.actor.view'] as { readonly actions: readonly unknown[] }[]
        const actions = ['wantNone', 'orderChanges', 'noteMine', ...view!.actions]
        answers['xstate.done.actor.view'] = [{ ...view, actions }, ...others]
      }
    }),
    foundBy,
    noticedBy: ['partitionsStay'],
  },
  {
    name: 'news of the members are not heard',
    create: supervisor((at) => {
      at('membership.inside.member').on['group.changed'] = {}
    }),
    foundBy,
    noticedBy: ['viewsAgree', 'calmClusterLeads', 'freeLeasesAreTaken'],
  },
  {
    name: 'news of the members are not heard while the members are read',
    create: supervisor((at) => {
      at('membership.inside.viewing.current').on['group.changed'] = {}
    }),
    foundBy,
    slice: { faults: ['stop-task', 'stop-client'] },
    noticedBy: ['viewsAgree', 'calmClusterLeads', 'freeLeasesAreTaken'],
  },
  {
    name: 'a group that stops hands over before it leaves',
    create: supervisor((at) => {
      at('children.tending').on['supervisor.stop'] = 'stopping'
    }),
    foundBy,
    noticedBy: ['partitionsStay'],
  },
  {
    name: 'a group that stops stays a member',
    create: refilled('groupSupervisor', {
      actors: {
        leave: callLogic<LeaveAnswer, GroupCall & { readonly attempt: number }>(async () => ({ kind: 'left' })),
      },
    }),
    foundBy,
    noticedBy: ['stopIsComplete', 'partitionsStay', 'freeLeasesAreTaken'],
  },
  {
    name: 'a group that stops forgets what is still moving away',
    create: supervisor((at) => {
      at('children.stopping').always = { target: 'none' }
    }),
    foundBy,
    noticedBy: ['stopIsComplete', 'handoverInOrder', 'eventsArePaired'],
  },
  {
    name: 'a partition that moves away is kept',
    create: partition((at) => {
      at('alive.contending').on['partition.unassign'] = {}
    }),
    foundBy,
    noticedBy: ['viewsAgree', 'calmClusterLeads', 'freeLeasesAreTaken'],
  },
  {
    name: 'a partition that comes back during its handover is forgotten',
    create: partition((at) => {
      at('alive.leaving').on['partition.assign'] = {}
    }),
    foundBy,
    slice: { works: ['slow'], faults: ['flicker'] },
    noticedBy: ['viewsAgree', 'calmClusterLeads', 'freeLeasesAreTaken'],
  },
  {
    name: 'a rest is not announced to the other members',
    create: broken({
      runtime: ({ store }) => ({
        store: altered(store, {
          join: (session, group, entry): Promise<JoinAnswer> => store.join(session, group, { ...entry, resting: [] }),
        }),
      }),
    }),
    foundBy,
    noticedBy: ['viewsAgree', 'freeLeasesAreTaken', 'calmClusterLeads'],
  },
  {
    name: 'a group does not join again after its session was lost',
    create: supervisor((at) => {
      at('membership.outside').on['session.opened'] = {}
    }),
    foundBy,
    noticedBy: ['viewsAgree', 'calmClusterLeads', 'freeLeasesAreTaken'],
  },
]
