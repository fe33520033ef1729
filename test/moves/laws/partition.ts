import { endIn, following, isIn, receiversOf, startsOf } from '../graph.ts'
import { enters, inputOf, type Laws, leaves, noMove, toldToAll } from './law.ts'

export const partition: Laws = {
  'an election begins only when there is none': {
    holds: noMove((move) => {
      return move.from !== null && startsOf(move, 'election').length > 0 && endIn(move)?.id !== 'election'
    }),
    noticed: [['states/alive/states/leaving/on/partition.assign', { target: '#partition.alive', reenter: true }]],
  },
  'an election that takes the place of a failed one begins after a crash, and no other': {
    holds: noMove((move) => {
      const input = inputOf<{ readonly begins?: string }>(move, 'election')
      return move.from !== null && !!input && (input.begins === 'after-crash') !== endIn(move)?.failed
    }),
    noticed: [
      ['states/alive/invoke/onError/2/actions', 'beginAtOnce'],
      ['states/alive/invoke/onDone/2/actions', []],
    ],
  },
  'what has moved away does not contend again before it comes back': {
    holds(walked) {
      const left = walked.moves.filter(
        ({ happening, to }) => happening.label === 'partition.unassign' && isIn(to, 'alive'),
      )
      const targets = left.map(({ to }) => to)
      const after = following(walked, targets, ({ happening }) => happening.label !== 'partition.assign')
      if (after.size === 0) return ['nothing ever moves away']
      const contends = ['alive.contending', 'alive.returning']
      return [...after].filter(({ path }) => contends.includes(path)).map(({ key }) => key)
    },
    noticed: [
      ['states/alive/invoke/onError/0/target', '.contending'],
      ['states/alive/states/returning/on/partition.unassign', {}],
    ],
  },
  'a rest is told, and its end, too': {
    holds: noMove((move) => {
      const [begins, ends] = [enters(move, 'resting') ? 1 : 0, leaves(move, 'resting') ? 1 : 0]
      const [told, toldOver] = [receiversOf(move, 'partition.resting'), receiversOf(move, 'partition.rested')]
      return told.length !== begins || toldOver.length !== ends
    }),
    noticed: [
      ['states/resting/exit', []],
      ['states/resting/entry', []],
    ],
  },
  'what the session says reaches the election': {
    holds: toldToAll((src) => src === 'election'),
    noticed: [['states/alive/on/session.lost/actions', 'noteLoss']],
  },
}
