/** Takes a machine through its surroundings, step by step: what can come in a state, and what the machine does then. */
import { type Effect, inert, type Step } from './inert.ts'
import { nameOf } from './names.ts'
import type { State } from './state.ts'
import { type AnySurroundings, type Ending, type Happening, labelOf } from './surroundings.ts'

export interface Stepper {
  /** From `null` the machine begins. */
  happenings(at: State | null): readonly Happening[]
  step(from: State | null, happening: Happening): Step
}

export function stepperOf(surroundings: AnySurroundings): Stepper {
  const machine = inert(surroundings.machine, surroundings.questions ?? {})
  return {
    happenings: (at) => (at ? happeningsAt(surroundings, at) : beginnings(surroundings)),
    step(from, { event, answers, label, ends }) {
      if (!from) return machine.begin(event.input)
      try {
        const { effects, ...step } = machine.step(from.snapshot, event, answers)
        // Letting go of an actor that is over is no news.
        const isOver = (id: string) => id === ends || (id in from.snapshot.children && !(id in from.out))
        const news = effects.filter((effect) => effect.kind !== 'leaves' || !isOver(effect.id))
        return { ...step, effects: sideBySide(news) }
      } catch (error) {
        throw new Error(`${surroundings.machine.id} breaks at ${from.key} by ${label}.`, { cause: error })
      }
    },
  }
}

function beginnings({ starts }: AnySurroundings): readonly Happening[] {
  return Object.entries(starts).map(([label, input]) => ({ label, event: { type: 'begin', input }, isCalm: true }))
}

function happeningsAt(surroundings: AnySurroundings, { out, isOver, path, snapshot }: State): readonly Happening[] {
  if (isOver) return []
  const { machine } = surroundings
  const ends = Object.entries(out).flatMap(([id, src]) => {
    const endings = surroundings.ends[src]
    if (!endings) throw new Error(`Nothing is known of how '${src}' of ${machine.id} may end.`)
    return endings(snapshot, id).map((ending) => happeningOf(id, nameOf(machine, id, src, path), ending))
  })
  const all = [...surroundings.comes(snapshot), ...ends]
  if (new Set(all.map(({ label }) => label)).size < all.length) throw new Error(`Two events at ${path} have one name.`)
  return all
}

function happeningOf(id: string, name: string, { note, output, error, answers, isCalm }: Ending): Happening {
  const event = error
    ? { type: `xstate.error.actor.${id}`, error, actorId: id }
    : { type: `xstate.done.actor.${id}`, output, actorId: id }
  return { label: labelOf(name, note), event, isCalm, ends: id, ...(answers && { answers }) }
}

/** What is said several times in one go, to several or of several, is said in no order that matters. */
function sideBySide(effects: readonly Effect[]): readonly Effect[] {
  const rounds: Effect[][] = []
  for (const effect of effects) {
    const last = rounds.at(-1)
    if (last && wordOf(effect) !== undefined && wordOf(effect) === wordOf(last[0]!)) last.push(effect)
    else rounds.push([effect])
  }
  return rounds.flatMap((round) => (round.length > 1 ? round.sort((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1)) : round))
}

const wordOf = (effect: Effect) => (effect.kind === 'sends' ? effect.event.type : undefined)
const rankOf = (effect: Effect) => (effect.kind === 'sends' ? `${effect.to} ${JSON.stringify(effect.event)}` : '')
