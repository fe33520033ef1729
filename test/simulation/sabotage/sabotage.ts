/** Something that is broken on purpose, in every client or in the store, and who must notice it. */
import type { Simba, SimbaOptions } from '../../../src/index.ts'
import type { SimulationOptions } from '../../../src/testing.ts'
import type { CheckerName } from '../checkers/index.ts'
import type { PlanChoice } from '../plans.ts'
import type { PromiseFile } from '../promises.ts'

export interface Sabotage {
  /** What is broken. */
  readonly name: string
  readonly create?: (options: SimbaOptions) => Simba
  readonly backend?: SimulationOptions['backend']
  /** The property whose plans bring it to light. */
  readonly foundBy: PromiseFile
  /** Fewer kinds of those plans, where few of all show it. */
  readonly slice?: Pick<PlanChoice, 'works' | 'faults' | 'duties' | 'schedules' | 'nodes'>
  /** Any of them is right: what is broken in one place may show in several. Nobody: then only a duel with the model shows it. */
  readonly noticedBy: readonly CheckerName[]
}
