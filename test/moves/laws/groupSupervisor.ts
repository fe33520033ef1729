import { assign } from 'xstate'
import type { Move } from '../../../scripts/moves/walk.ts'
import type { Context } from '../../../src/machines/groupSupervisor.ts'
import { receiversOf } from '../graph.ts'
import { armedIn, does, inputOf, type Laws, noMove, toldToAll } from './law.ts'

const VIEWED = 'states/membership/states/inside/states/viewing/states/current/on/xstate.done.actor.view/0/actions'
const ORDERS = ['children.start', 'children.stop', 'children.unassign', 'cohort.stop']

const contextOf = ({ snapshot }: Pick<Move, 'snapshot'>) => snapshot.context as Context

/** Orders by their names: those that a move gives, and after them those that wait. */
function ordersAfter(move: Move): readonly string[] {
  return [...given(move), ...contextOf(move).orders.map(({ command }) => command.type)]
}

function given({ effects }: Move): readonly string[] {
  return effects.flatMap((effect) =>
    effect.kind === 'sends' && ORDERS.includes(effect.event.type) ? [effect.event.type] : [],
  )
}

export const groupSupervisor: Laws = {
  'what is lost starts its handover before what is gained campaigns': {
    holds: noMove((move) => {
      const waiting = move.from ? contextOf(move.from).orders.length : 0
      const fresh = ordersAfter(move).slice(waiting)
      return (
        fresh.includes('children.start') && fresh.lastIndexOf('children.unassign') > fresh.indexOf('children.start')
      )
    }),
    noticed: [
      [`${VIEWED}/7`, assign(({ context }: { context: Context }) => ({ orders: [...context.orders].reverse() }))],
    ],
  },
  'cohorts are told one thing a turn, in the order in which it was wanted': {
    holds: noMove((move) => {
      if (!move.from) return given(move).length > 0
      const waiting = contextOf(move.from).orders.map(({ command }) => command.type)
      const isTurn = move.happening.label === 'timer.due' || move.from.facts.pace === 'calm'
      const isEnd = ordersAfter(move).every((order) => order === 'cohort.stop')
      const isKept = waiting.every((order, index) => ordersAfter(move)[index] === order)
      return given(move).length > (isTurn ? 1 : 0) || !(isKept || isEnd || isDropped(move) || isOvertaken(move))
    }),
    noticed: [
      ['states/pace/states/ordering/on', { 'timer.due': 'calm', 'store.restarted': 'calm' }],
      ['states/pace/states/ordering/entry', ['awaitTurn', 'giveNextOrder', 'giveNextOrder']],
    ],
  },
  'what waits for its start is this member’s': {
    holds: noMove((move) => {
      const { mine, orders } = contextOf(move)
      const waiting = orders.flatMap(({ command }) => (command.type === 'children.start' ? command.children : []))
      return waiting.some((child) => child.kind === 'partition' && !mine.includes(child.input.partition))
    }),
    noticed: [['states/membership/states/inside/on/session.lost/actions', ['wantNone', 'noteMine']]],
  },
  'a turn is awaited while there may be more to tell, and only then': {
    holds: armedIn(({ facts }) => facts.pace === 'ordering', 'awaitTurn', 'disarmTimer'),
    noticed: [
      ['states/pace/states/ordering/exit', []],
      ['states/pace/states/ordering/entry', 'giveNextOrder'],
    ],
  },
  'terms learn of a lost session before their partitions move away': {
    holds: noMove((move) => {
      if (move.happening.label !== 'session.lost') return false
      const said = move.effects.flatMap((effect) => (effect.kind === 'sends' ? [effect.event.type] : []))
      const [moved, lost] = [said.indexOf('children.unassign'), said.indexOf('session.lost')]
      return moved >= 0 && !(lost >= 0 && lost < moved)
    }),
    noticed: [['states/children/on/session.lost/actions', 'noteLoss']],
  },
  'a group leaves before it hands over: the first attempt is answered, or there is nobody to tell': {
    holds: noMove((move) => {
      const { from, to, happening } = move
      if (from?.facts.of !== 'a group') return false
      const isOver = (path: string) => path.startsWith('children.stopping') || path.startsWith('children.none')
      if (!isOver(to.path)) return receiversOf(move, 'cohort.stop').length > 0
      const isAnswered = happening.label.startsWith('leave: ') || happening.label === 'session.lost'
      return !isOver(from.path) && !isAnswered && !from.path.endsWith('membership.outside')
    }),
    noticed: [
      ['states/children/states/tending/on/supervisor.stop', 'stopping'],
      ['states/children/states/leaving/entry', 'orderEnd'],
    ],
  },
  'a partition runs where it is wanted, and not where it rests': {
    holds: noMove((move) => {
      const { mine, wanted, resting } = contextOf(move)
      return String(mine) !== String(wanted) || mine.some((partition) => resting.includes(partition))
    }),
    noticed: [
      ['states/children/on/partition.resting/actions', 'noteResting'],
      ['states/children/states/leaving/on/membership.given-up/actions', 'wantNone'],
    ],
  },
  'whoever joins announces all that rest': {
    holds: noMove((move) => {
      const input = inputOf<{ readonly resting: readonly number[] }>(move, 'join')
      return !!input && String(input.resting) !== String(contextOf(move).resting)
    }),
    noticed: [['states/membership/states/inside/states/joining/invoke/input', () => ({ resting: [] })]],
  },
  'what the session says reaches every cohort': {
    holds: toldToAll((src) => src === 'cohort'),
    noticed: [['states/children/on/store.restarted', {}]],
  },
}

/** Another assignment takes back the starts that were still to come, and says anew which ones are. */
function isOvertaken(move: Move): boolean {
  const kept = contextOf(move.from!)
    .orders.map(({ command }) => command.type)
    .filter((order) => order !== 'children.start')
  return move.effects.some(does('reportAssignment')) && kept.every((order, index) => ordersAfter(move)[index] === order)
}

/** A stop takes back the starts that were still to come. */
function isDropped(move: Move): boolean {
  return move.happening.label === 'supervisor.stop' && !ordersAfter(move).includes('children.start')
}
