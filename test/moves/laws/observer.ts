import { doesOf } from '../graph.ts'
import { type Laws, noMove } from './law.ts'

export const observer: Laws = {
  'a leader is told of when it is another, and only then': {
    holds: noMove((move) => {
      const isNews = move.from !== null && move.from.facts.leader !== move.to.facts.leader
      return doesOf(move, 'tellLeader') !== (isNews ? 1 : 0)
    }),
    noticed: [['states/asking/invoke/onDone/0/guard', undefined]],
  },
}
