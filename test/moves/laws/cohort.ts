import { spawnChild } from 'xstate'
import { endIn, isIn, startsOf } from '../graph.ts'
import { inputOf, type Laws, noMove, noState, toldToAll } from './law.ts'

const KINDS = ['election', 'partition', 'observer']

export const cohort: Laws = {
  'a child begins only where there is none of its name': {
    holds: noMove((move) => {
      const there = move.from?.snapshot.children ?? {}
      const begun = KINDS.flatMap((src) => startsOf(move, src))
      return begun.some((id) => id in there && endIn(move)?.id !== id)
    }),
    noticed: [['states/tending/on/leases.freed/actions', spawnChild('election', { id: 'ingest', input: {} })]],
  },
  'whoever takes the place of a failed child begins after a crash, and no other': {
    holds: noMove((move) =>
      ['election', 'partition'].some((src) => {
        const input = inputOf<{ readonly begins?: string }>(move, src)
        return !!input && (input.begins === 'after-crash') !== (endIn(move)?.failed ?? false)
      }),
    ),
    noticed: [['on/xstate.error.actor.*/actions/1', spawnChild('election', { id: 'ingest', input: {} })]],
  },
  'while it stops, everybody who is there has been told': {
    holds: noState(
      (state) =>
        isIn(state, 'stopping') && KINDS.some((kind) => !['none', 'told to stop'].includes(state.facts[kind]!)),
    ),
    noticed: [['states/stopping/entry', []]],
  },
  'what the session says reaches every child': {
    holds: toldToAll(() => true),
    noticed: [['on/session.opened/actions', 'noteSession']],
  },
}
