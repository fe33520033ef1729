/**
 * Walks the whole graph of a machine: from every start, over everything that can come to it, until there is nothing new. Two
 * snapshots count as one state where neither their place nor a fact tells them apart.
 */
import type { ActorLogic, EventObject, Snapshot } from 'xstate'
import { type AdjacencyMap, adjacencyMapToArray, getAdjacencyMap } from 'xstate/graph'
import type { Step } from './inert.ts'
import { type State, stateOf } from './state.ts'
import { type Stepper, stepperOf } from './stepper.ts'
import type { AnySurroundings, Happening } from './surroundings.ts'

/** `snapshot` is what this very move leads to: the state `to`, but perhaps by a context of its own. */
export interface Move extends Step {
  /** `null` where the machine begins. */
  readonly from: State | null
  readonly happening: Happening
  readonly to: State
}

export interface Walk {
  readonly surroundings: AnySurroundings
  readonly states: readonly State[]
  readonly moves: readonly Move[]
  /** Takes further steps from what was found. */
  readonly stepper: Stepper
}

/** A walk that gets this far has no finite abstraction. */
const MOST_MOVES = 500_000

/** What xstate/graph walks on: how a state was reached. `null` is before the machine begins. */
type Position = Snapshot<undefined> & { readonly at: State | null; readonly step: Step | null }
type Graph = AdjacencyMap<Position, Happening & EventObject>

const active = { status: 'active', output: undefined, error: undefined } as const
const NOWHERE: Position = { ...active, at: null, step: null }
const BEGIN = 'begin'

export function walk(surroundings: AnySurroundings): Walk {
  const stepper = stepperOf(surroundings)
  const states = new Map<string, State>()
  const logic: ActorLogic<Position, Happening & EventObject, undefined> = {
    transition({ at }, happening) {
      const step = stepper.step(at, happening)
      const found = stateOf(surroundings, step.snapshot)
      const known = states.get(found.key) ?? found
      states.set(known.key, known)
      return { ...active, at: known, step }
    },
    getInitialSnapshot: () => NOWHERE,
    getPersistedSnapshot: (position) => position,
  }
  const graph: Graph = getAdjacencyMap(logic, {
    fromState: NOWHERE,
    limit: MOST_MOVES,
    serializeState: ({ at }) => at?.key ?? BEGIN,
    serializeEvent: ({ label }) => label,
    events: ({ at }) => stepper.happenings(at).map((happening) => ({ type: happening.event.type, ...happening })),
  })
  const moves = adjacencyMapToArray(graph).map(
    ({ state, event: happening, nextState: { at, step } }): Move => ({ from: state.at, happening, to: at!, ...step! }),
  )
  return { surroundings, states: [...states.values()], moves, stepper }
}
