import { doesOf, isIn, receiversOf } from '../graph.ts'
import { armedIn, does, enters, isBefore, type Laws, noMove, sends } from './law.ts'

export const termWorker: Laws = {
  'a term is told to end before its work is, and its deadline is fixed then': {
    holds: noMove((move) => {
      const isTold = enters(move, 'once.handingOver') || enters(move, 'scheduled.handingOver')
      if (!isTold) return receiversOf(move, 'work.stop').length > 0
      const [told, work, armed] = [
        move.effects.findIndex((effect) => does('revokeTerm')(effect) || does('cutTerm')(effect)),
        move.effects.findIndex(sends('work.stop')),
        move.effects.findIndex(does('armDeadline')),
      ]
      return !(told >= 0 && told < work && work < armed)
    }),
    noticed: [
      ['states/once/states/leading/on/term.revoke/actions/1', 'stopWork'],
      ['states/scheduled/states/leading/on/term.cut/actions', ['stopWork', 'noteReason']],
    ],
  },
  'a term ends once: when its work has settled or its time is out, and told before': {
    holds: noMove((move) => {
      const isEnd = enters(move, 'ended')
      if (doesOf(move, 'endTerm') !== (isEnd ? 1 : 0)) return true
      if (!isEnd || !move.from) return false
      const { label } = move.happening
      if (isIn(move.from, 'once.idle') || isIn(move.from, 'scheduled.idle'))
        return doesOf(move, 'revokeTerm') + doesOf(move, 'cutTerm') !== 1
      if (isIn(move.from, 'once.leading') || isIn(move.from, 'scheduled.leading'))
        return label !== 'work.settled: fatal' || doesOf(move, 'revokeTerm') !== 1
      return label !== 'timer.due' && !label.startsWith('work.settled')
    }),
    noticed: [
      ['states/scheduled/states/leading/on/term.cut', '#termWorker.ended'],
      ['states/outlasting/on/term.revoke', 'ended'],
      ['states/once/states/idle/on/term.cut/actions', 'noteReason'],
    ],
  },
  'a term is revoked before it is ended': {
    holds: noMove((move) => !isBefore(move, does('revokeTerm'), does('endTerm'))),
    noticed: [['states/ended/entry', [{ type: 'endTerm' }, { type: 'revokeTerm' }]]],
  },
  'the deadline is armed while an exit is awaited, and only then': {
    holds: armedIn(
      ({ path }) => path.endsWith('.handingOver') || path === 'outlasting',
      'armDeadline',
      'disarmDeadline',
    ),
    noticed: [
      ['states/once/states/handingOver/exit', []],
      ['states/outlasting/entry', []],
    ],
  },
  'the first reason stays': {
    holds: noMove(({ from, snapshot }) => {
      const isTold = from !== null && (from.path.endsWith('.handingOver') || isIn(from, 'outlasting'))
      return isTold && ![from.facts.reason, 'crashed'].includes(snapshot.context.reason)
    }),
    noticed: [['states/once/states/handingOver/on/term.cut/actions', 'noteReason']],
  },
}
