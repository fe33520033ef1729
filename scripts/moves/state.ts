/** A state of a walk: the place, and the facts of the context. What else a snapshot holds decides nothing. */
import type { AnyActorRef, AnyMachineSnapshot } from 'xstate'
import { placeOf } from './place.ts'
import type { AnySurroundings } from './surroundings.ts'

export interface State {
  readonly key: string
  readonly path: string
  /** Regions below this place, and what of the context decides. */
  readonly facts: Readonly<Record<string, string>>
  /** The first one found that is this state. */
  readonly snapshot: AnyMachineSnapshot
  /** Final, or failed. */
  readonly isOver: boolean
  /** Actors whose end is awaited here: the names of what they do, by their ids. */
  readonly out: Readonly<Record<string, string>>
}

export function stateOf(surroundings: AnySurroundings, snapshot: AnyMachineSnapshot): State {
  const { path, regions } = placeOf(snapshot, surroundings.asFacts)
  const facts = { ...regions }
  for (const [name, { of }] of Object.entries(surroundings.facts)) facts[name] = of(snapshot.context)
  const { status, output } = snapshot
  const isOver = status !== 'active'
  const words = Object.entries(facts).map(([name, value]) => `${name}: ${value}`)
  return {
    key: [path, ...words, ...(isOver ? [status, JSON.stringify(output)] : [])].join(', '),
    path,
    facts,
    snapshot,
    isOver,
    out: isOver ? {} : outOf(surroundings, snapshot),
  }
}

function outOf(surroundings: AnySurroundings, snapshot: AnyMachineSnapshot): State['out'] {
  const over = surroundings.over?.(snapshot) ?? []
  const children: readonly AnyActorRef[] = Object.values(snapshot.children)
  return Object.fromEntries(children.filter(({ id }) => !over.includes(id)).map(({ id, src }) => [id, String(src)]))
}
