import type { Context } from '../../../src/machines/client.ts'
import { doesOf, isIn, receiversOf } from '../graph.ts'
import { does, enters, inputOf, isBefore, type Laws, noMove, noState, starts, toldToAll } from './law.ts'

export const client: Laws = {
  'the session is closed when no supervisor is left, and not before': {
    holds: noMove((move) => {
      const { order, elections, 'group supervisor': group } = move.to.facts
      const isLast = order === 'closing' && move.from?.facts.order !== 'closing'
      const isClosed = receiversOf(move, 'session.close').length === 1
      return isClosed !== isLast || (isClosed && (elections !== 'none' || group !== 'none'))
    }),
    noticed: [
      ['states/active/states/stopping/states/order/initial', 'closing'],
      ['states/active/states/stopping/states/order/states/closing/entry', []],
    ],
  },
  'there is a session while the client is active, and only then': {
    holds: noState((state) => Object.values(state.out).includes('session') !== isIn(state, 'active')),
    noticed: [['states/recovering/invoke/src', 'session']],
  },
  'a supervisor begins with the session that there is': {
    holds: noMove((move) => {
      const input = inputOf<{ readonly session: string | null }>(move, 'supervisor')
      return !!input && input.session !== move.snapshot.context.session
    }),
    noticed: [['states/active/states/running/on/task.start/actions', ['noteTask', 'spawnGroup', 'noteLoss']]],
  },
  'what has ended is told when the client has stopped, before anything begins anew': {
    holds: noMove((move) => {
      const isStopped = move.happening.label === 'session: closed' || enters(move, 'stopped')
      const isInOrder = isBefore(move, does('reportStopped'), starts('supervisor'))
      return (isStopped && doesOf(move, 'reportStopped') !== 1) || !isInOrder
    }),
    noticed: [['states/stopped/entry', []]],
  },
  'what does not survive a stop is not there after it': {
    holds: noMove(({ happening, to }) => happening.label === 'STOP' && isIn(to, 'stopped') && to.facts.lock !== 'none'),
    noticed: [['states/idle/on/STOP/actions', []]],
  },
  'only what is declared is called quiet': {
    holds: noMove(({ snapshot: { context } }) => {
      const { tasks, ended } = context as Context
      return ended.some((id) => !tasks.some((task) => task.id === id))
    }),
    noticed: [['states/active/states/stopping/on/child.ended', { actions: { type: 'noteEnded', params: eventId } }]],
  },
  'what the session says reaches every supervisor': {
    holds: toldToAll((src) => src === 'supervisor'),
    noticed: [['states/active/on/session.lost/actions', 'noteLoss']],
  },
}

function eventId({ event }: { readonly event: { readonly id: string } }) {
  return { id: event.id }
}
