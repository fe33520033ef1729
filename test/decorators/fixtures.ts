/** The classes of this folder, as TypeScript compiles them in both modes of decorators. */
import * as decorators from '../../src/decorators/index.ts'
import { compiled, DECORATOR_MODES, type DecoratorMode } from '../support/compile.ts'
import type * as Classes from './classes.ts'
import type * as Doubtful from './doubtful.ts'

export interface Fixtures {
  readonly mode: DecoratorMode
  readonly classes: (tell: Classes.Tell) => ReturnType<typeof Classes.makeClasses>
  readonly doubtful: ReturnType<typeof Doubtful.makeDoubtfulClasses>
}

async function fixturesOf(mode: DecoratorMode): Promise<Fixtures> {
  const { makeClasses } = await compiled<typeof Classes>(mode, 'test/decorators/classes.ts')
  const { makeDoubtfulClasses } = await compiled<typeof Doubtful>(mode, 'test/decorators/doubtful.ts')
  return { mode, classes: (tell) => makeClasses(decorators, tell), doubtful: makeDoubtfulClasses(decorators) }
}

export const FIXTURES = await Promise.all(DECORATOR_MODES.map(fixturesOf))
