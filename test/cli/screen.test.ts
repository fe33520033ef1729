/** What the command says about itself, on standard error. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Screen } from '../../src/cli/screen.ts'

let said: string[]
beforeEach(() => {
  said = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(`${text}`) > 0)
})
afterEach(() => vi.restoreAllMocks())

test('a message comes with what it is about, whatever was thrown, and where nothing is known', () => {
  const { logger } = new Screen('usual')
  logger.warn({ lease: 'ingest', token: 7, holder: { node: 'one' } }, 'A message.')
  for (const err of [new Error('why'), { name: 'Error', message: 'why' }, 'why', null, undefined]) {
    logger.warn({ err }, 'A message.')
  }
  expect(said).toEqual([
    'simba: A message. (lease ingest, token 7)\n',
    ...Array.from({ length: 3 }, () => 'simba: A message. (why)\n'),
    'simba: A message. (null)\n',
    'simba: A message.\n',
  ])
})

test('the quiet one tells errors alone, the verbose one everything', () => {
  for (const loudness of ['quiet', 'usual', 'verbose'] as const) {
    const { logger } = new Screen(loudness)
    for (const level of ['debug', 'info', 'warn', 'error'] as const) logger[level]({}, `${loudness} ${level}`)
  }
  expect(said.map((line) => line.slice('simba: '.length).trimEnd())).toEqual([
    'quiet error',
    'usual warn',
    'usual error',
    'verbose debug',
    'verbose info',
    'verbose warn',
    'verbose error',
  ])
})
