import { doesOf, isIn, receiversOf } from '../graph.ts'
import { does, enters, isBefore, type Laws, leaves, noMove, sends } from './law.ts'

const RENEWED = 'states/live/states/renewal/states/renewing/on/xstate.done.actor.renew'

export const session: Laws = {
  'a session is told of where it begins, and its loss where it is lost': {
    holds: noMove((move) => {
      const isLost = leaves(move, 'live') && !isIn(move.to, 'closing')
      const [opened, lost] = [receiversOf(move, 'session.opened'), receiversOf(move, 'session.lost')]
      return opened.length !== (enters(move, 'live') ? 1 : 0) || lost.length !== (isLost ? 1 : 0)
    }),
    noticed: [
      ['states/lost/states/unknown/entry/1', 'clearFailures'],
      ['states/live/entry', []],
      [`${RENEWED}/1/target`, '#session.pausing'],
    ],
  },
  'a session that was opened is ended once, before anybody hears that it is lost': {
    holds: noMove((move) => {
      const isOpened = move.happening.label.startsWith('open: opened')
      const isDropped = (isOpened && !isIn(move.to, 'live')) || leaves(move, 'live')
      const isInOrder = isBefore(move, does('endSession'), sends('session.lost'))
      return doesOf(move, 'endSession') !== (isDropped ? 1 : 0) || !isInOrder
    }),
    noticed: [
      ['states/opening/states/unwanted/on/xstate.done.actor.open/actions/1', 'clearFailures'],
      ['states/live/on/session.close/actions', 'clearFailures'],
    ],
  },
  'a session that has run out is never extended': {
    holds: noMove((move) => move.happening.label.endsWith('too late') && doesOf(move, 'extendSession') > 0),
    noticed: [
      ['states/opening/states/wanted/on/xstate.done.actor.open/0', { target: '#session.live', actions: [] }],
      [`${RENEWED}/1/guard`, 'hasFailed'],
    ],
  },
  'validity is extended before anybody hears what came with it': {
    holds: noMove((move) => !isBefore(move, does('extendSession'), sends('inbox.read'))),
    noticed: [[`${RENEWED}/3/actions/0`, 'tellInbox']],
  },
}
