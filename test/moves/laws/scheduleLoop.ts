import { receiversOf, startsOf } from '../graph.ts'
import { armedIn, enters, type Laws, noMove } from './law.ts'

export const scheduleLoop: Laws = {
  'a run begins only where none is out': {
    holds: noMove((move) => startsOf(move, 'work').length > 0 && Object.keys(move.from!.out).length > 0),
    noticed: [['states/running/on', { 'timer.due': '#scheduleLoop.starting' }]],
  },
  'a run begins only in a term that is valid': {
    holds: noMove(
      (move) => startsOf(move, 'work').length > 0 && move.happening.label !== 'timer.due: the term is valid',
    ),
    noticed: [['states/starting/always/1', { target: 'running' }]],
  },
  'the exit is told once, at the end': {
    holds: noMove((move) => receiversOf(move, 'work.settled').length !== (enters(move, 'over') ? 1 : 0)),
    noticed: [
      ['states/over/entry', []],
      ['states/running/states/free/on/work.stop/actions', ['passStopOn', 'tellExit']],
    ],
  },
  'the timer is armed between runs, and only then': {
    holds: armedIn(({ path }) => path === 'delaying' || path === 'waiting', 'armTimer', 'disarmTimer'),
    noticed: [
      ['states/waiting/exit', []],
      ['states/waiting/entry', []],
    ],
  },
}
