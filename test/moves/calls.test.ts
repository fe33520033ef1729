/** Never leave a state whose call may still change the store, nor one whose actor still runs: leaving drops the answer. */
import { describe, expect, test } from 'vitest'
import type { Move, Walk } from '../../scripts/moves/walk.ts'
import { broken } from './broken.ts'
import { isIn, lineOf, MACHINES, walkOf } from './graph.ts'

/** They change nothing that outlives them: waits, and questions to the store. */
const HARMLESS = ['backoff', 'deadline', 'look', 'pause', 'readLeader', 'retryDelay', 'termDeadline', 'view']

const isLoss = ({ happening }: Move) => happening.label === 'session.lost'
const ofLive = (move: Move) => isIn(move.from, 'live') && !isIn(move.to, 'live')
const fails = ({ to }: Move) => to.snapshot.status === 'error'
const begins = (move: Move) => isIn(move.to, 'recovering')

/** Where a call or a child is left all the same, and why nothing is lost by it. Whatever is not here is never left. */
const LEFT: Readonly<Record<string, Readonly<Record<string, (move: Move) => boolean>>>> = {
  election: {
    // The store has given back all that this session had, and does nothing for it any more.
    campaign: isLoss,
    release: isLoss,
    withdraw: isLoss,
  },
  groupSupervisor: {
    // The member has gone with its session. Where the supervisor itself fails, the client ends all sessions.
    join: (move) => isLoss(move) || fails(move),
    leave: (move) => isLoss(move) || fails(move),
    cohort: fails,
  },
  session: {
    // A renewal creates nothing: late, it finds its session or does nothing.
    renew: ofLive,
    // What is held by a session goes with it; and a later list of it replaces an earlier one.
    returnStrays: (move) => ofLive(move) || move.happening.label === 'renew: renewed, and restarted',
    // Closing clears once more, and waits for that.
    clear: ({ from, to }) => isIn(from, 'clearing') && isIn(to, 'closing'),
  },
  client: {
    // A failure: all sessions and terms are ended, and one lease duration is waited for.
    session: begins,
    supervisor: begins,
  },
  termWorker: {
    // At the deadline: the work is abandoned.
    work: ({ happening }) => happening.label === 'timer.due',
    // A loop that has settled is as good as over.
    scheduleLoop: ({ from, happening }) => happening.label === 'timer.due' || isIn(from, 'scheduled.idle'),
  },
}

function left(id: string, { moves }: Walk): readonly string[] {
  return moves.flatMap((move) =>
    move.effects.flatMap((effect) => {
      if (effect.kind !== 'leaves' || HARMLESS.includes(effect.src)) return []
      return LEFT[id]?.[effect.src]?.(move) ? [] : [`${lineOf(move)}, which leaves ${effect.id}`]
    }),
  )
}

/** Two calls of one kind at a time would answer each other. */
function doubled({ states }: Walk): readonly string[] {
  const many = ['cohort', 'supervisor', 'pause']
  return states.flatMap(({ key, out }) => {
    const calls = Object.values(out).filter((src) => !many.includes(src))
    return calls.length > new Set(calls).size ? [`${key}: ${calls.join(', ')}`] : []
  })
}

describe.each(MACHINES)('%s', (id) => {
  test('leaves no call that may still change the store, and no actor that still runs', () => {
    expect(left(id, walkOf(id))).toEqual([])
  })

  test('has at most one call of a kind out', () => {
    expect(doubled(walkOf(id))).toEqual([])
  })
})

test('every exception is one that occurs', () => {
  for (const [id, calls] of Object.entries(LEFT)) {
    for (const [src, isAllowed] of Object.entries(calls)) {
      const occurs = walkOf(id).moves.some(
        (move) => isAllowed(move) && move.effects.some((effect) => effect.kind === 'leaves' && effect.src === src),
      )
      expect(occurs, `${id} leaves ${src}`).toBe(true)
    }
  }
})

describe('these rules notice', () => {
  const path = (way: string) => way.split('/')
  test.each([
    ['election', 'states/campaigning/states/wanted/on/election.stop', '#election.stopped'],
    ['election', 'states/campaigning/on', { STEP_DOWN: '#election.withdrawing.toRest' }],
    ['election', 'states/releasing/on/session.opened', 'campaigning'],
    [
      'groupSupervisor',
      'states/membership/states/inside/states/joining/on',
      { 'supervisor.stop': '#membership.leaving' },
    ],
    ['groupSupervisor', 'states/membership/states/leaving/on/store.restarted', { target: 'leaving', reenter: true }],
    ['session', 'states/opening/on', { 'session.doubted': 'pausing' }],
    ['session', 'states/disconnecting/on', { 'session.doubted': 'closing' }],
    ['partition', 'states/alive/states/leaving/on/partition.unassign', '#partition.gone'],
    ['scheduleLoop', 'states/running/states/free/on/work.stop', '#scheduleLoop.over'],
    ['client', 'states/active/states/running/on/STOP/target', '#client.stopped'],
  ])('that %s leaves something: %s', (id, way, part) => {
    expect(left(id, broken(id, path(way), part))).not.toEqual([])
  })

  test('that two calls are out at once', () => {
    const second = [
      { id: 'campaign', src: 'campaign', input: () => ({}) },
      { id: 'again', src: 'campaign', input: () => ({}) },
    ]
    const walked = broken('election', path('states/campaigning/invoke'), second)
    expect(doubled(walked)).not.toEqual([])
  })
})
