import type { Move } from '../../../scripts/moves/walk.ts'
import { doesOf, endIn, following, isIn, linesOf, movesFrom, startsOf } from '../graph.ts'
import { enters, type Laws, leaves, noMove } from './law.ts'

const GRANTED = 'states/campaigning/states/wanted/on/xstate.done.actor.campaign'

/** Where its actor has failed, a term ends at its deadline, or with the session, after which there is nothing to wait for. */
function endsTerm(move: Move): boolean {
  const { label } = move.happening
  if (isIn(move.from, 'holding.outlasting')) return label === 'session.lost' || label.startsWith('termDeadline: ')
  const end = endIn(move)
  return end?.id === 'term' && !end.failed
}

export const election: Laws = {
  'holding is left only by the end of the term': {
    holds: noMove((move) => leaves(move, 'holding') && !endsTerm(move)),
    noticed: [
      ['states/holding/states/leading/on/election.stop', '#election.stopped'],
      ['states/holding/states/leading/on/session.lost', '#election.unready'],
      ['states/holding/on', { 'session.opened': 'ready' }],
      ['states/holding/invoke/onError/1', { target: 'releasing.toRest' }],
    ],
  },
  'holding is entered only by a grant in time': {
    holds: noMove(
      (move) =>
        enters(move, 'holding') &&
        !(isIn(move.from, 'campaigning') && move.happening.label === 'campaign: granted in time'),
    ),
    noticed: [
      [`${GRANTED}/1/target`, '#election.holding'],
      ['states/waiting/on/lease.freed', 'holding'],
    ],
  },
  'a term begins where holding is entered, and nowhere else': {
    holds: noMove((move) => {
      const begins = enters(move, 'holding') ? 1 : 0
      return doesOf(move, 'beginTerm') !== begins || startsOf(move, 'termWorker').length !== begins
    }),
    noticed: [
      ['states/campaigning/states/hinted/on/xstate.done.actor.campaign/0/actions/1', 'clearFailures'],
      ['states/holding/on', { 'session.opened': { target: 'holding', reenter: true } }],
    ],
  },
  'a term whose actor has failed is revoked at once, and ended before its lease is released': {
    holds: noMove((move) => {
      const ends = leaves(move, 'holding') && isIn(move.from, 'holding.outlasting') ? 1 : 0
      const outlasts = enters(move, 'holding.outlasting') ? 1 : 0
      return doesOf(move, 'endTerm') !== ends || doesOf(move, 'revokeTerm') !== outlasts
    }),
    noticed: [
      ['states/holding/states/outlasting/entry', []],
      ['states/holding/states/outlasting/invoke/onDone/1/actions', []],
    ],
  },
  'a lease is released after its term, or when nobody wants its grant any more, and again until that is confirmed': {
    holds: noMove((move) => {
      if (startsOf(move, 'release').length === 0) return enters(move, 'releasing')
      const isUnwanted = isIn(move.from, 'campaigning') && move.happening.label.startsWith('campaign: granted')
      return !isIn(move.from, 'releasing') && !endsTerm(move) && !isUnwanted
    }),
    noticed: [
      ['states/waiting/on/election.stop', 'releasing.toStop'],
      ['states/releasing/invoke', []],
    ],
  },
  'a release is reported when it is over, once': {
    holds: noMove((move) => doesOf(move, 'leaseReleased') !== (leaves(move, 'releasing') ? 1 : 0)),
    noticed: [['states/releasing/states/toRest/on/session.lost/actions', 'noteLoss']],
  },
  'what may be held is given back before the election is over or rests, unless its session is lost': {
    holds: noMove((move) => {
      const isOut = ['campaigning', 'unsettled', 'waiting', 'quarantined', 'recovering'].some((path) =>
        isIn(move.from, path),
      )
      const isAway = isIn(move.to, 'resting') || isIn(move.to, 'stopped')
      return isOut && isAway && move.happening.label !== 'session.lost'
    }),
    noticed: [
      ['states/quarantined/on/election.stop', 'stopped'],
      ['states/recovering/states/toContend/on/election.stop', '#election.stopped'],
    ],
  },
  'a lease is in the care of its election from the beginning to the end': {
    holds: noMove((move) => {
      const ends = isIn(move.to, 'stopped') ? 1 : 0
      return doesOf(move, 'enroll') !== (move.from ? 0 : 1) || doesOf(move, 'discharge') !== ends
    }),
    noticed: [
      ['states/stopped/entry', []],
      ['entry', []],
    ],
  },
  'the token is that of the grant, from the first to the last moment of holding': {
    holds: noMove(({ from, to, happening: { event }, snapshot }) => {
      if (!isIn(to, 'holding')) return false
      const token = isIn(from, 'holding') ? from!.snapshot.context.token : event.output?.token
      return snapshot.context.token !== token
    }),
    noticed: [[`${GRANTED}/0/actions/0`, 'clearFailures']],
  },
  'an election for one term holds no second one': {
    holds(walked) {
      const ended = walked.moves.filter((move) => leaves(move, 'holding') && move.to.facts.ends === 'after-term')
      const after = following(
        walked,
        ended.map(({ to }) => to),
      )
      if (after.size === 0) return ['no term ever ends']
      return linesOf(walked.moves, (move) => after.has(move.from!) && startsOf(move, 'campaign').length > 0)
    },
    noticed: [['states/next/states/toContend/always/0/target', '#election.ready']],
  },
  'a step-down asked is not forgotten: before the next campaign there is a rest': {
    holds(walked) {
      const rests = (move: Move) => isIn(move.to, 'resting')
      const asked = walked.moves.filter(
        (move) => move.happening.label === 'STEP_DOWN' && !isIn(move.from, 'resting') && !rests(move),
      )
      const after = following(
        walked,
        asked.map(({ to }) => to),
        (move) => !rests(move),
      )
      const later = [...after].flatMap((state) => movesFrom(walked.moves, state))
      return linesOf(later, (move) => startsOf(move, 'campaign').length > 0)
    },
    noticed: [
      ['states/campaigning/states/steppingDown/on/xstate.error.actor.campaign', '#election.unsettled'],
      ['states/recovering/states/toContend/on/STEP_DOWN', {}],
    ],
  },
}
