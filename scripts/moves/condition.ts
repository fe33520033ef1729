/** When something is so, said by as few facts as can say it. */

export type Facts = Readonly<Record<string, string>>

/** Each of these facts has one of its values here. Without any it is always so. */
export type Condition = Readonly<Record<string, readonly string[]>>

export interface Case {
  readonly facts: Facts
  readonly holds: boolean
}

/** `undefined` where no conjunction says it. Combinations of facts that are not among the cases do not matter. */
export function conditionOf(cases: readonly Case[]): Condition | undefined {
  const holding = cases.filter(({ holds }) => holds).map(({ facts }) => facts)
  for (const names of subsets(varyingAmong(cases))) {
    const condition = Object.fromEntries(names.map((name) => [name, valuesOf(name, holding)]))
    if (cases.every(({ facts, holds }) => meets(facts, condition) === holds)) return condition
  }
  return undefined
}

export function meets(facts: Facts, condition: Condition): boolean {
  return Object.entries(condition).every(([name, values]) => values.includes(facts[name]!))
}

function valuesOf(name: string, all: readonly Facts[]): readonly string[] {
  return [...new Set(all.map((facts) => facts[name]!))].sort()
}

function varyingAmong(cases: readonly Case[]): readonly string[] {
  const all = cases.map(({ facts }) => facts)
  return Object.keys(all[0] ?? {}).filter((name) => valuesOf(name, all).length > 1)
}

/** Small ones first. */
function subsets(names: readonly string[]): readonly (readonly string[])[] {
  let all: (readonly string[])[] = [[]]
  for (const name of names) all = [...all, ...all.map((subset) => [...subset, name])]
  return all.sort((a, b) => a.length - b.length)
}
