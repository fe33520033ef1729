/** A decorator on the wrong method, or with the wrong attributes, is an error of the compiler, in both modes of decorators. */
import { expect, test } from 'vitest'
import { complaintsAbout, DECORATOR_MODES } from '../support/compile.ts'

const FILES = {
  standard: ['right', 'wrong', 'wrong-private', 'classes', 'doubtful'],
  // They know no private methods.
  legacy: ['right', 'wrong', 'classes', 'doubtful'],
} as const

test.each(DECORATOR_MODES)(
  'the compiler takes what is right and refuses what is wrong: %s decorators',
  async (mode) => {
    const files = FILES[mode].map((file) => `test/decorators/${file}.ts`)
    expect(await complaintsAbout(mode, ...files)).toBe('')
  },
)
