/** A stop that was asked for is never forgotten, and comes to an end: in every state, whatever happens meanwhile. */
import { describe, expect, test } from 'vitest'
import type { State } from '../../scripts/moves/state.ts'
import type { Move, Walk } from '../../scripts/moves/walk.ts'
import { broken } from './broken.ts'
import { following, isIn, lineOf, linesOf, MACHINES, movesFrom, receiversOf, startsOf, walkOf } from './graph.ts'

interface Stopping {
  /** What asks for it. */
  readonly stops: readonly string[]
  /** What takes it back. */
  readonly restarts?: string
  /** Where the stop has come to its end; else a final state. */
  readonly end?: string
  /** What a machine does as long as it is not stopped: nothing of it begins after a stop. */
  readonly works: readonly string[]
  /** What it tells its children as long as it is not stopped. */
  readonly says?: readonly string[]
  /** Places where a stop and its absence are the same, since both come to an end from here. */
  readonly ends?: readonly string[]
}

const STOPS: Readonly<Record<string, Stopping>> = {
  client: { stops: ['STOP'], restarts: 'START', end: 'stopped', works: [] },
  cohort: { stops: ['cohort.stop'], works: [] },
  election: { stops: ['election.stop'], works: ['campaign', 'termWorker'] },
  groupSupervisor: { stops: ['supervisor.stop'], works: ['cohort', 'join', 'view'], says: ['children.start'] },
  observer: { stops: ['observer.stop'], works: ['readLeader'] },
  partition: { stops: ['partition.stop'], works: [] },
  scheduleLoop: { stops: ['work.stop'], works: ['work'] },
  session: { stops: ['session.close'], works: ['open', 'renew'] },
  // A term whose machinery has failed waits for its end, told or not.
  termWorker: { stops: ['term.revoke', 'term.cut'], works: ['work', 'scheduleLoop'], ends: ['outlasting'] },
}

/** The stop of what a machine starts after its own stop, in the place of one that has failed or of one that a START had asked for. */
const TOLD_AT_ONCE: Readonly<Record<string, readonly string[]>> = {
  cohort: ['election.stop', 'partition.stop', 'observer.stop'],
  partition: ['election.stop'],
  client: ['supervisor.stop'],
}
const CHILDREN = ['election', 'partition', 'observer', 'supervisor']

const isStop = (id: string) => (move: Move) => move.from !== null && STOPS[id]!.stops.includes(move.happening.label)
const goesOn = (id: string) => (move: Move) => move.happening.label !== STOPS[id]!.restarts

/** All that can be after a stop, until it is taken back. */
function stopped(id: string, walked: Walk): ReadonlySet<State> {
  return following(
    walked,
    walked.moves.filter(isStop(id)).map(({ to }) => to),
    goesOn(id),
  )
}

function isEnd(id: string, state: State): boolean {
  const { end } = STOPS[id]!
  return state.isOver || (end !== undefined && isIn(state, end))
}

/** States after a stop in which the machine may also be without one: there it does not know any more that it was asked to stop. */
function forgetful(id: string, walked: Walk): readonly string[] {
  const begun = walked.moves.filter(({ from }) => !from).map(({ to }) => to)
  const unasked = following(walked, begun, (move) => !isStop(id)(move))
  const same = STOPS[id]!.ends ?? []
  return [...stopped(id, walked)]
    .filter((state) => unasked.has(state) && !isEnd(id, state) && !same.some((path) => isIn(state, path)))
    .map(({ key }) => key)
}

/** Work that begins after a stop, or a child that is not told at once. */
function begins(id: string, walked: Walk): readonly string[] {
  return [...stopped(id, walked)].flatMap((state) =>
    linesOf(movesFrom(walked.moves, state).filter(goesOn(id)), (move) => {
      const told = new Set(
        move.effects.flatMap((effect) => {
          return effect.kind === 'sends' && TOLD_AT_ONCE[id]?.includes(effect.event.type) ? [effect.to] : []
        }),
      )
      const { works, says = [] } = STOPS[id]!
      const children = CHILDREN.flatMap((src) => startsOf(move, src))
      return (
        works.some((src) => startsOf(move, src).length > 0) ||
        says.some((type) => receiversOf(move, type).length > 0) ||
        children.some((child) => !told.has(child))
      )
    }),
  )
}

/** Something has changed, or begins anew. */
function isProgress({ from, to, effects }: Move): boolean {
  return from !== to || effects.some(({ kind }) => kind === 'starts')
}

/**
 * States after a stop from which the calm does not lead to an end: whatever faults there were before, once calls are answered, waits
 * end, work exits and children that were told to end do so, every way leads to an end. What breaks this stands still, or goes in a circle.
 */
function endless(id: string, walked: Walk): readonly string[] {
  const settled = new Set<State>()
  const onTheWay = new Set<State>()
  const faults: string[] = []
  const visit = (state: State): void => {
    if (isEnd(id, state) || settled.has(state)) return
    onTheWay.add(state)
    const calm = movesFrom(walked.moves, state).filter((move) => move.happening.isCalm && isProgress(move))
    if (calm.length === 0) faults.push(`${state.key} stands still`)
    for (const move of calm) {
      if (onTheWay.has(move.to)) faults.push(`in a circle: ${lineOf(move)}`)
      else visit(move.to)
    }
    onTheWay.delete(state)
    settled.add(state)
  }
  for (const state of stopped(id, walked)) visit(state)
  return faults
}

describe.each(MACHINES)('%s', (id) => {
  test('can be asked to stop in every state', () => {
    const { moves, states } = walkOf(id)
    const asked = new Set(moves.filter(isStop(id)).map(({ from }) => from))
    expect(states.filter((state) => !state.isOver && !asked.has(state))).toEqual([])
    expect(stopped(id, walkOf(id)).size).toBeGreaterThan(1)
  })

  test('never forgets that it was asked to stop', () => {
    expect(forgetful(id, walkOf(id))).toEqual([])
  })

  test('begins nothing new after that', () => {
    expect(begins(id, walkOf(id))).toEqual([])
  })

  test('comes to an end after it, in every way in which a calm world goes on', () => {
    expect(endless(id, walkOf(id))).toEqual([])
  })
})

describe('these rules notice', () => {
  const path = (way: string) => way.split('/')
  test.each([
    ['election', 'states/unsettled/on/election.stop', 'unready'],
    ['election', 'states/campaigning/states/steppingDown/on/election.stop', {}],
    ['partition', 'states/alive/invoke/onError/1/target', '.contending'],
    ['session', 'states/opening/states/unwanted/on/xstate.done.actor.open/target', '#session.clearing'],
    ['scheduleLoop', 'states/running/states/free/on/work.stop/target', 'free'],
    ['client', 'states/recovering/states/toStop/on/STOP', 'toRun'],
  ])('that %s forgets a stop: %s', (id, way, part) => {
    expect(forgetful(id, broken(id, path(way), part))).not.toEqual([])
  })

  test.each([
    ['election', 'states/campaigning/states/stopping/on/xstate.error.actor.campaign', '#election.campaigning'],
    ['cohort', 'states/stopping/on/children.start', { actions: 'startNew' }],
    ['partition', 'states/alive/states/stopping/entry', []],
  ])('that %s begins something after a stop: %s', (id, way, part) => {
    const restarting = broken(id, path(way), part)
    expect(begins(id, restarting)).not.toEqual([])
  })

  test.each([
    [
      'election',
      'states/withdrawing/states/toStop/on/xstate.done.actor.withdraw/target',
      '#election.withdrawing.toStop',
    ],
    ['election', 'states/releasing/states/toStop/on/xstate.done.actor.release', undefined],
    ['session', 'states/closing/invoke/onDone', 'closing'],
    ['cohort', 'states/stopping/always', []],
    ['termWorker', 'states/scheduled/states/handingOver/on', {}],
    ['client', 'states/active/states/stopping/states/order/states/handingOver/always', []],
    ['groupSupervisor', 'states/membership/states/none/entry', []],
  ])('that a stop of %s has no end: %s', (id, way, part) => {
    expect(endless(id, broken(id, path(way), part))).not.toEqual([])
  })
})
