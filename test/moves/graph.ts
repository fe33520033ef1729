/** Questions about the graph of a machine. What breaks a rule is answered as text, one line for each. */

import type { State } from '../../scripts/moves/state.ts'
import { ALL } from '../../scripts/moves/surroundings/all.ts'
import { type Move, type Walk, walk } from '../../scripts/moves/walk.ts'

const walked = new Map<string, Walk>()

export const MACHINES = Object.keys(ALL)

/** Walked once for a file of tests. */
export function walkOf(id: string): Walk {
  const known = walked.get(id) ?? walk(ALL[id]!)
  walked.set(id, known)
  return known
}

export function lineOf({ from, happening, to }: Move): string {
  return `${from ? from.key : 'begin'} | ${happening.label} → ${to.key}`
}

/** The moves that break a rule. */
export function linesOf(moves: readonly Move[], breaks: (move: Move) => boolean): readonly string[] {
  return moves.filter(breaks).map(lineOf)
}

/** These states and all that follow from them by the moves that count. */
export function following(
  { moves }: Walk,
  seeds: Iterable<State>,
  counts: (move: Move) => boolean = () => true,
): ReadonlySet<State> {
  const found = new Set(seeds)
  // A set goes on with what is added while it is gone through.
  for (const state of found) for (const move of movesFrom(moves, state)) if (counts(move)) found.add(move.to)
  return found
}

const byOrigin = new WeakMap<readonly Move[], Map<State | null, Move[]>>()

export function movesFrom(moves: readonly Move[], state: State): readonly Move[] {
  let index = byOrigin.get(moves)
  if (!index) {
    index = new Map()
    for (const move of moves) index.set(move.from, [...(index.get(move.from) ?? []), move])
    byOrigin.set(moves, index)
  }
  return index.get(state) ?? []
}

export function isIn(state: State | null, path: string): boolean {
  return state !== null && (state.path === path || state.path.startsWith(`${path}.`))
}

/** Ids of the actors that a move starts whose work is this. */
export function startsOf({ effects }: Move, src: string): readonly string[] {
  return effects.flatMap((effect) => (effect.kind === 'starts' && effect.src === src ? [effect.id] : []))
}

export function doesOf({ effects }: Move, name: string): number {
  return effects.filter((effect) => effect.kind === 'does' && effect.name === name).length
}

/** Who is sent it. */
export function receiversOf({ effects }: Move, type: string): readonly string[] {
  return effects.flatMap((effect) => (effect.kind === 'sends' && effect.event.type === type ? [effect.to] : []))
}

/** What the actor is called that ends with this move, and how it ended; `undefined` where none does. */
export function endIn({
  happening: { event, ends },
}: Move): { readonly id: string; readonly failed: boolean } | undefined {
  if (ends === undefined || !event.type.startsWith('xstate.')) return undefined
  return { id: ends, failed: event.type.startsWith('xstate.error.') }
}
