/** A client without a logger of its own speaks through Nest's, whichever that is. */
import { Injectable, Logger, type LoggerService } from '@nestjs/common'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SimbaLeader, SimbaPartitioned } from '../../src/decorators/index.ts'
import type { Term } from '../../src/index.ts'
import { nestLogger } from '../../src/nestjs/logger.ts'
import { World } from '../support/world.ts'
import { compile } from './application.ts'

let lines: unknown[][]

beforeEach(() => {
  lines = []
  useLines()
})
afterEach(() => Logger.overrideLogger(false))

/** Again after an application is made: Nest's testing module sets a logger of its own then. */
function useLines(): void {
  const write =
    (level: string) =>
    (...args: unknown[]) =>
      void lines.push([level, ...args])
  const levels = ['log', 'error', 'warn', 'debug', 'verbose', 'fatal']
  Logger.overrideLogger(Object.fromEntries(levels.map((level) => [level, write(level)])) as unknown as LoggerService)
}

test('each level goes to its own, with the details on the same line', () => {
  const logger = nestLogger('Simba')
  const thrown = new TypeError('no paper')
  logger.debug({}, 'plain')
  logger.info({ failedForMs: 5 }, 'with details')
  logger.warn({ err: { name: 'Error', message: 'no answer' } }, 'with a plain error')
  logger.error({ lease: 'a', err: thrown }, 'with an error')
  expect(lines).toEqual([
    ['debug', 'plain', 'Simba'],
    ['log', 'with details {"failedForMs":5}', 'Simba'],
    ['warn', 'with a plain error {"err":{"name":"Error","message":"no answer"}}', 'Simba'],
    ['error', 'with an error {"lease":"a","err":{"name":"TypeError","message":"no paper"}}', thrown.stack, 'Simba'],
  ])
})

test('an application says which methods contend, and what the client complains of', async () => {
  @Injectable()
  class Work {
    @SimbaLeader({ name: 'ingest' })
    run(): void {
      throw new Error('not ready')
    }

    @SimbaPartitioned({ group: 'billing', partitions: 2, fixedRate: '1m' })
    bill(_term: Term, _partition: number): void {}
  }

  const world = new World()
  const { app, close } = await compile(world, { providers: [Work] }, { logger: undefined })
  useLines()
  await app.init()
  await world.pass(10)
  await close()
  const own = lines.filter((line) => line.at(-1) === 'Simba')
  expect(own.slice(0, 2)).toEqual([
    ['log', 'Work.run contends for the election ingest', 'Simba'],
    ['log', 'Work.bill contends for the group billing', 'Simba'],
  ])
  expect(own.slice(2).map(([level, text]) => [level, String(text)])).toContainEqual([
    'error',
    expect.stringContaining('not ready'),
  ])
})

test('an application without methods because of the option says so', async () => {
  const world = new World()
  const { app } = await compile(world, {}, { logger: undefined, schedulingEnabled: false })
  useLines()
  await app.init()
  expect(lines).toContainEqual(['log', 'Scheduling is disabled: this process runs no decorated methods.', 'Simba'])
})
