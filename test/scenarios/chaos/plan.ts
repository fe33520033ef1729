/** Which faults a round has, one after the other or two at once: all of it follows from the seed. */
import { Random } from '../../../src/simulation/random.ts'
import type { Fault } from './fault.ts'

export interface Step {
  /** One, or two that happen at once. */
  readonly faults: readonly Fault[]
  readonly draw: Random
}

const CHANCE_OF_TWO = 0.25

/** Endless. Every fault has had its turn before one comes again. */
export function* plan(seed: number, faults: readonly Fault[]): Generator<Step, never> {
  const chance = new Random(seed).fork('plan')
  let deck: readonly Fault[] = []
  const take = (fits: (fault: Fault) => boolean): Fault | undefined => {
    if (deck.length === 0) deck = shuffled(faults, chance)
    const fault = deck.find(fits)
    deck = deck.filter((other) => other !== fault)
    return fault
  }
  for (let step = 0; ; step++) {
    const first = take(() => true)!
    const second = chance.chance(CHANCE_OF_TWO)
      ? take(({ place }) => place === 'node' || first.place === 'node')
      : undefined
    yield { faults: second ? [first, second] : [first], draw: new Random(seed).fork(`step ${step}`) }
  }
}

function shuffled<T>(items: readonly T[], chance: Random): readonly T[] {
  return items
    .map((item) => ({ item, order: chance.next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item)
}
