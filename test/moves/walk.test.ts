/** What the walk may be relied on for: it sees every state and every move of each chart, and what it leaves out decides nothing. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AnyStateNode } from 'xstate'
import { stateOf } from '../../scripts/moves/state.ts'
import { ALL } from '../../scripts/moves/surroundings/all.ts'
import type { AnySurroundings } from '../../scripts/moves/surroundings.ts'
import { textsOf } from '../../scripts/moves/text.ts'
import { type Move, type Walk, walk } from '../../scripts/moves/walk.ts'
import { broken } from './broken.ts'
import { lineOf, MACHINES, walkOf } from './graph.ts'

/** Answers that no event meets, since every state that can meet it has one of its own, or nobody says it. */
const NEVER_TAKEN: Readonly<Record<string, readonly string[]>> = {
  // Every state names it; the root does for those that are still to come.
  termWorker: ['termWorker: term.cut'],
  client: [
    'client: STOP',
    // A supervisor keeps what its partitions say to itself.
    'client: partition.resting',
    'client: partition.rested',
  ],
  // Raised only in the state that names them.
  session: ['session: validity.extended', 'session: holds.listed'],
}

function nodesOf(node: AnyStateNode): readonly AnyStateNode[] {
  return [node, ...Object.values(node.states).flatMap(nodesOf)]
}

const chartOf = ({ states }: Walk) => nodesOf(states[0]!.snapshot.machine.root)

function unreached(walked: Walk): readonly string[] {
  const reached = new Set(walked.states.flatMap(({ snapshot }) => snapshot._nodes as readonly AnyStateNode[]))
  // Those that are left at once are seen by how they are left.
  for (const { source } of walked.moves.flatMap(({ taken }) => taken.flat())) {
    for (let node: AnyStateNode | undefined = source; node; node = node.parent) reached.add(node)
  }
  return chartOf(walked).flatMap((node) => (reached.has(node) ? [] : [node.id]))
}

function untaken(walked: Walk): readonly string[] {
  const taken = new Set(walked.moves.flatMap((move) => move.taken.flat()))
  return chartOf(walked).flatMap((node) =>
    [...(node.always ?? []), ...[...node.transitions.values()].flat()]
      .filter((transition) => !taken.has(transition))
      .map(({ eventType }) => `${node.id}: ${eventType || 'at once'}`),
  )
}

describe.each(MACHINES)('the walk of %s', (id) => {
  test('reaches every state of its chart', () => {
    expect(unreached(walkOf(id))).toEqual([])
  })

  test('takes every transition of its chart', () => {
    expect(untaken(walkOf(id))).toEqual(NEVER_TAKEN[id] ?? [])
  })

  test('knows every part of the context: what decides, and what does not', () => {
    const { facts, leftOut } = ALL[id]!
    const named = new Set([
      ...Object.entries(facts).flatMap(([name, { from }]) => from ?? [name]),
      ...Object.keys(leftOut),
    ])
    const there = new Set(walkOf(id).states.flatMap(({ snapshot }) => Object.keys(snapshot.context)))
    expect([...there].filter((key) => !named.has(key))).toEqual([])
  })

  test('leaves out of the context only what decides nothing', () => {
    expect(surprises(walkOf(id))).toBeUndefined()
  })
})

const SEED = 20_251_201

/**
 * Ways through the machine itself, with all of its context, from anywhere: each step must be the one that the walk has seen, whatever
 * way has led to it.
 */
function surprises({ surroundings, moves, stepper }: Walk): string | undefined {
  const known = new Map(moves.map((move) => [`${move.from?.key} | ${move.happening.label}`, move]))
  const ways = fc.tuple(fc.nat(moves.length - 1), fc.array(fc.nat(), { minLength: 1, maxLength: 12, size: 'max' }))
  const details = fc.check(
    fc.property(ways, ([start, choices]) => {
      let state = stateOf(surroundings, moves[start]!.snapshot)
      for (const choice of choices) {
        const happenings = stepper.happenings(state)
        const happening = happenings[choice % happenings.length]
        if (!happening) return
        const move = known.get(`${state.key} | ${happening.label}`)!
        const step = stepper.step(state, happening)
        const to = stateOf(surroundings, step.snapshot)
        const seen = `${lineOf(move)} / ${done(move, surroundings)}`
        const now = { ...move, ...step, to }
        expect(`${lineOf(now)} / ${done(now, surroundings)}`).toBe(seen)
        state = to
      }
    }),
    { numRuns: 300, seed: SEED },
  )
  return details.failed ? `${fc.defaultReportMessage(details)}\n${String(details.errorInstance)}` : undefined
}

/** What is sent in one go goes out in the order in which children were declared, which is no fact. */
function done(move: Move, surroundings: AnySurroundings): readonly string[] {
  const texts = textsOf(move, surroundings)
  const runs: string[][] = []
  for (const [index, { kind }] of move.effects.entries()) {
    if (kind === 'sends' && move.effects[index - 1]?.kind === 'sends') runs.at(-1)!.push(texts[index]!)
    else runs.push([texts[index]!])
  }
  return runs.flatMap((run) => run.sort())
}

describe('these checks notice', () => {
  test('a state that nothing leads to', () => {
    const walked = broken('election', ['states', 'forgotten'], {})
    expect(unreached(walked)).toEqual(['election.forgotten'])
  })

  test('a transition that is never taken', () => {
    const answers = [{ guard: 'hasSession', target: 'campaigning' }, { target: 'unready' }]
    const walked = broken('election', ['states', 'waiting', 'on', 'lease.freed'], answers)
    expect(untaken(walked)).toEqual(['election.waiting: lease.freed'])
  })

  test.each([
    ['election', 'ends'],
    ['groupSupervisor', 'partition 0'],
    ['session', 'attempt'],
    ['cohort', 'session'],
  ])('that %s is walked without its fact %s', (id, fact) => {
    const { [fact]: _, ...facts } = ALL[id]!.facts
    const without: AnySurroundings = { ...ALL[id]!, facts, unsaid: ALL[id]!.unsaid.filter((key) => key !== fact) }
    expect(surprises(walk(without))).toContain('Property failed')
  })
})
