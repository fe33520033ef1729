/** Where log lines go, and what a logger that fails can do: nothing. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { memory } from '../../src/backends/memory/index.ts'
import { createSimba } from '../../src/index.ts'
import { refused } from '../support/road.ts'
import { untilAborted } from '../support/work.ts'
import { LEASE_MS, World } from '../support/world.ts'

let world = new World()
afterEach(async () => {
  vi.restoreAllMocks()
  await world.end()
})

test('by default warnings and errors go to the console, and nothing else', async () => {
  world = new World()
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  const error = vi.spyOn(console, 'error').mockReturnValue()
  const others = (['log', 'info', 'debug'] as const).map((method) => vi.spyOn(console, method))
  const { simba, road } = world.client({ logger: undefined })
  simba.election('ingest').runWhileLeader(() => Promise.reject(new Error('no')))
  await world.settle()
  expect(error.mock.calls).toMatchObject([['[simba] Leader work has failed.', { lease: 'ingest' }]])
  expect(warn.mock.calls).toEqual([])
  road.block(refused)
  await world.pass(LEASE_MS)
  const warnings = warn.mock.calls.map(([message]) => message)
  expect(warnings).toEqual([
    '[simba] The store fails. Terms go on until their deadline; calls are repeated.',
    '[simba] The session is lost, and all terms with it. A new one is opened.',
  ])
  road.heal()
  await world.pass(LEASE_MS)
  for (const other of others) expect(other.mock.calls).toEqual([])
})

test('a client that names no backend says at once that nobody else sees its leases', () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  createSimba()
  expect(warn.mock.calls.map(([message]) => message)).toEqual([
    '[simba] No backend is set, so leases are kept in this process and no other process sees them. Set the option backend, or SIMBA_BACKEND.',
  ])
})

describe('a logger', () => {
  test('is called as a method of its own, as pino wants it', () => {
    class Pino {
      readonly lines: string[] = []
      debug() {}
      info() {}
      warn(_: object, message: string) {
        this.lines.push(message)
      }
      error() {}
    }
    const logger = new Pino()
    vi.stubEnv('SIMBA_BACKEND', '')
    createSimba({ logger })
    expect(logger.lines).toHaveLength(1)
    createSimba({ logger, backend: memory() })
    expect(logger.lines).toHaveLength(1)
  })

  test('that throws at every line is told of on the console, and the client goes on', async () => {
    world = new World()
    const complaints = vi.spyOn(console, 'error').mockReturnValue()
    const fail = () => {
      throw new Error('the disk is full')
    }
    const logger = { debug: fail, info: fail, warn: fail, error: fail }
    const { simba, road, of } = world.client({ logger })
    const task = simba.election('ingest').runWhileLeader(() => Promise.reject(new Error('no')))
    const other = simba.election('other').runWhileLeader(untilAborted)
    simba.on('*', fail)
    await world.settle()
    road.block(refused)
    await world.pass(LEASE_MS)
    road.heal()
    world.time.stepWall(1_000)
    await world.pass(LEASE_MS)
    expect([task.term?.isValid, other.term?.isValid]).toEqual([true, true])
    await world.until(simba.stop(), LEASE_MS)
    expect(of('session.lost')).toHaveLength(1)
    expect(simba.getSnapshot()).toMatchObject({ status: 'active', value: 'stopped' })
    expect(complaints).toHaveBeenCalledWith('[simba] The logger has failed.', {
      err: expect.objectContaining({ message: 'the disk is full' }),
      line: 'Leader work has failed.',
    })
  })
})
