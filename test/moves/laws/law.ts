/** What holds on all moves of a machine, as a function that answers with what breaks it, and faults that it is seen to notice. */
import type { Effect } from '../../../scripts/moves/inert.ts'
import type { State } from '../../../scripts/moves/state.ts'
import type { Move, Walk } from '../../../scripts/moves/walk.ts'
import { isIn, lineOf, receiversOf } from '../graph.ts'

export interface Law {
  readonly holds: (walked: Walk) => readonly string[]
  /** A way through the chart, and what stands there instead. */
  readonly noticed: readonly (readonly [way: string, part: unknown])[]
}

/** By what they say. */
export type Laws = Readonly<Record<string, Law>>

/** The moves that break it. */
export function noMove(breaks: (move: Move) => boolean): Law['holds'] {
  return ({ moves }) => moves.filter(breaks).map(lineOf)
}

export function noState(breaks: (state: State) => boolean): Law['holds'] {
  return ({ states }) => states.filter(breaks).map(({ key }) => key)
}

export function enters(move: Move, path: string): boolean {
  return isIn(move.to, path) && !isIn(move.from, path)
}

export function leaves(move: Move, path: string): boolean {
  return isIn(move.from, path) && !isIn(move.to, path)
}

type Is = (effect: Effect) => boolean

export const does =
  (name: string): Is =>
  (effect) =>
    effect.kind === 'does' && effect.name === name
export const sends =
  (type: string): Is =>
  (effect) =>
    effect.kind === 'sends' && effect.event.type === type
export const starts =
  (src: string): Is =>
  (effect) =>
    effect.kind === 'starts' && effect.src === src

/** Where both are, all of the first come before the second. */
export function isBefore({ effects }: Move, first: Is, second: Is): boolean {
  const at = effects.findIndex(second)
  return at < 0 || effects.findLastIndex(first) < at
}

/** What an actor that is started is given. */
export function inputOf<Input>({ effects }: Move, src: string): Input | undefined {
  const start = effects.find(starts(src))
  return start?.kind === 'starts' ? (start.input as Input) : undefined
}

const FACTS = ['session.opened', 'session.lost', 'store.restarted']

/** What the session says reaches every child that is there. */
export function toldToAll(isChild: (src: string) => boolean): Law['holds'] {
  return noMove((move) => {
    const fact = FACTS.find((type) => move.happening.event.type === type)
    const children = Object.entries(move.from?.out ?? {}).filter(([, src]) => isChild(src))
    return fact !== undefined && children.some(([id]) => !receiversOf(move, fact).includes(id))
  })
}

/** An alarm is armed in these states and in no others, whatever way has led to them. */
export function armedIn(isArmed: (state: State) => boolean, arm: string, disarm: string): Law['holds'] {
  return noMove(({ from, to, effects }) => {
    let is = from !== null && isArmed(from)
    for (const effect of effects) {
      if (does(arm)(effect)) is = true
      if (does(disarm)(effect)) is = false
    }
    return is !== isArmed(to)
  })
}
