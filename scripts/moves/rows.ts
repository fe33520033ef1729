/**
 * The moves from one place as rows: a row for each place that an event leads to, with the facts that decide on it; effects that
 * only some of these moves have carry their own condition. Events with one outcome share a row.
 */
import { type Condition, conditionOf, type Facts } from './condition.ts'
import { grouped } from './grouped.ts'
import type { AnySurroundings, Happening } from './surroundings.ts'
import { textsOf } from './text.ts'
import type { Move } from './walk.ts'

interface Part {
  readonly text: string
  readonly when: Condition
}

interface Outcome {
  /** Left out where the place is not left. */
  readonly to?: string
  /** Facts that are set. */
  readonly set: readonly Part[]
  readonly effects: readonly Part[]
}

export interface Row extends Outcome {
  readonly events: readonly string[]
  readonly when: Condition | 'otherwise'
}

/** All moves are from one place, or all are beginnings. */
export function rowsOf(moves: readonly Move[], surroundings: AnySurroundings): readonly Row[] {
  const byEvent = [...grouped(moves, ({ happening }) => rankOf(happening))].sort(([a], [b]) => (a < b ? -1 : 1))
  const rows = byEvent.flatMap(([, same]) => decided(same[0]!.happening.label, same, surroundings))
  const folded = grouped(rows, ({ events: _, ...rest }) => JSON.stringify(rest))
  return [...folded.values()].map((same) => ({ ...same[0]!, events: same.flatMap(({ events }) => events) }))
}

/** The ends of actors come last. Not in the order in which they were found: lines must not move without a reason. */
function rankOf({ event, label }: Happening): string {
  return `${event.type.startsWith('xstate.') ? 1 : 0} ${label}`
}

export function isNothing({ to, set, effects }: Row): boolean {
  return to === undefined && set.length === 0 && effects.length === 0
}

/** By where they lead; where that says too little, by all that they do. */
function decided(event: string, moves: readonly Move[], surroundings: AnySurroundings): readonly Row[] {
  const whole = (move: Move) => JSON.stringify([move.to.key, textsOf(move, surroundings)])
  for (const keyOf of [targetOf, whole, (move: Move) => move.from!.key]) {
    const groups = [...grouped(moves, keyOf).values()]
    const outcomes = groups.map((same) => outcomeOf(same, surroundings))
    const whens = groups.map((same) => conditionFor(same, moves))
    // One of them may be what is left.
    if (outcomes.includes(undefined) || whens.filter((when) => !when).length > 1) continue
    const rows = outcomes.map((outcome, index): Row => {
      return { events: [event], when: whens[index] ?? 'otherwise', ...outcome! }
    })
    return rows.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
  }
  throw new Error(`The facts do not decide on what '${event}' leads to from ${moves[0]?.from?.path}.`)
}

const orderOf = ({ when }: Row) => (when === 'otherwise' ? '~' : JSON.stringify(when))

function outcomeOf(moves: readonly Move[], surroundings: AnySurroundings): Outcome | undefined {
  const to = targetOf(moves[0]!)
  const set = setBy(moves)
  const effects = effectsOf(moves, surroundings)
  return set && effects && { ...(to !== undefined && { to }), set, effects }
}

/** When it is these among all. */
function conditionFor(these: readonly Move[], all: readonly Move[]): Condition | undefined {
  const members = new Set(these)
  return conditionOf(all.map((move) => ({ facts: factsOf(move), holds: members.has(move) })))
}

/** With the output, where it is an end that has one. */
function targetOf({ from, to }: Move): string | undefined {
  const { status, output } = to.snapshot
  if (status === 'error') return 'fails'
  if (from?.path === to.path) return to.isOver ? 'ends here' : undefined
  return output === undefined ? to.path : `${to.path} with ${Object.values(output as object).join(', ')}`
}

/** What the moves come from; beginnings come from nothing. */
function factsOf({ from }: Move): Facts {
  return from?.facts ?? {}
}

function setBy(moves: readonly Move[]): readonly Part[] | undefined {
  const parts: Part[] = []
  for (const name of Object.keys(moves[0]!.to.facts)) {
    const isChange = (move: Move) => factsOf(move)[name] !== move.to.facts[name]
    for (const value of new Set(moves.filter(isChange).map(({ to }) => to.facts[name]))) {
      const isSet = ({ to }: Move) => to.facts[name] === value
      // Where it was so before, it does not matter who says it.
      const relevant = moves.filter((move) => isChange(move) || !isSet(move))
      const when = conditionFor(relevant.filter(isSet), relevant)
      if (!when) return undefined
      parts.push({ text: `${name}: ${value}`, when })
    }
  }
  return parts
}

function effectsOf(moves: readonly Move[], surroundings: AnySurroundings): readonly Part[] | undefined {
  const sequences = moves.map((move) => numbered(textsOf(move, surroundings)))
  const order = inOneOrder(sequences)
  if (!order) return undefined
  const parts: Part[] = []
  for (const effect of order) {
    const having = moves.filter((_, index) => sequences[index]!.includes(effect))
    const when = conditionFor(having, moves)
    if (!when) return undefined
    parts.push({ text: effect.replace(/#\d+$/, ''), when })
  }
  return parts
}

/** So that what is done twice is two things. */
function numbered(texts: readonly string[]): readonly string[] {
  return texts.map((text, index) => `${text}#${texts.slice(0, index).filter((other) => other === text).length}`)
}

/** An order that all sequences keep; `undefined` where there is none. */
function inOneOrder(sequences: readonly (readonly string[])[]): readonly string[] | undefined {
  const left = new Set(sequences.flat())
  const order: string[] = []
  while (left.size > 0) {
    const isFirst = (text: string) =>
      sequences.every((sequence) => !sequence.includes(text) || sequence.find((other) => left.has(other)) === text)
    const next = [...left].find(isFirst)
    if (next === undefined) return undefined
    left.delete(next)
    order.push(next)
  }
  return order
}
