/** What was simulated, in numbers: by one file of properties, and added up for all of them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FaultKind, Plan } from './plan.ts'
import type { Played } from './play.ts'

export interface TallyNumbers {
  readonly plans: number
  readonly simulatedMs: number
  readonly realMs: number
  readonly terms: number
  readonly handovers: number
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>
}

/** Where numbers are collected: set by `npm test`. */
const { SIMBA_TALLY } = process.env

export class Tally {
  #numbers: TallyNumbers = { plans: 0, simulatedMs: 0, realMs: 0, terms: 0, handovers: 0, faults: {} }

  get numbers(): TallyNumbers {
    return this.#numbers
  }

  /** A plan was played. */
  add({ faults }: Plan, { simulatedMs, terms, handovers }: Played): void {
    const kinds = faults.map(({ kind }) => [kind, faults.filter((fault) => fault.kind === kind).length] as const)
    this.merge({ plans: 1, simulatedMs, realMs: 0, terms, handovers, faults: Object.fromEntries(kinds) })
  }

  merge(other: TallyNumbers): void {
    const sum = (of: (numbers: TallyNumbers) => number) => of(this.#numbers) + of(other)
    const kinds = new Set([...Object.keys(this.#numbers.faults), ...Object.keys(other.faults)]) as Set<FaultKind>
    this.#numbers = {
      plans: sum(({ plans }) => plans),
      simulatedMs: sum(({ simulatedMs }) => simulatedMs),
      realMs: sum(({ realMs }) => realMs),
      terms: sum(({ terms }) => terms),
      handovers: sum(({ handovers }) => handovers),
      faults: Object.fromEntries([...kinds].sort().map((kind) => [kind, sum(({ faults }) => faults[kind] ?? 0)])),
    }
  }

  /** The time that this takes counts as time of the simulation. */
  async time<T>(play: () => Promise<T>): Promise<T> {
    const startMs = performance.now()
    try {
      return await play()
    } finally {
      this.merge({ plans: 0, simulatedMs: 0, realMs: performance.now() - startMs, terms: 0, handovers: 0, faults: {} })
    }
  }

  /** Adds the numbers of this process to those of the others, where somebody collects them. */
  handIn(name: string): void {
    if (SIMBA_TALLY) writeFileSync(join(SIMBA_TALLY, `${name}.json`), JSON.stringify(this.#numbers))
  }

  /** What all have handed in. */
  static collect(folder: string): Tally {
    const tally = new Tally()
    for (const file of readdirSync(folder)) tally.merge(JSON.parse(readFileSync(join(folder, file), 'utf8')))
    return tally
  }

  toString(): string {
    const { plans, simulatedMs, realMs, terms, handovers, faults } = this.#numbers
    const hours = (simulatedMs / 3_600_000).toFixed(1)
    const speed = realMs > 0 ? Math.round(simulatedMs / realMs) : 0
    const kinds = Object.entries(faults).map(([kind, count]) => `${kind} ${count}`)
    return [
      `Simulated: ${hours} cluster-hours in ${plans} plans, ${speed} seconds of theirs in each of ours; ${terms} terms, ${handovers} handovers.`,
      `Faults: ${kinds.join(', ')}.`,
    ].join('\n')
  }
}
