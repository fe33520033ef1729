/** Signals: the first one stops in handover order, the second one says what is waited for, the third one ends the process at once. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { FakeExecutor } from '../support/executor.ts'
import { hanging } from '../support/road.ts'
import { held } from '../support/work.ts'
import { type Client, LEASE_MS, MARGIN_MS, VALID_MS, World } from '../support/world.ts'

let world: World
let client: Client
const disposables: Disposable[] = []
const exit = vi.fn<(code?: unknown) => never>()

beforeEach(() => {
  world = new World()
  client = world.client()
  exit.mockClear()
  vi.spyOn(process, 'exit').mockImplementation(exit)
})
afterEach(async () => {
  for (const disposable of disposables.splice(0)) disposable[Symbol.dispose]()
  vi.restoreAllMocks()
  await world.end()
})

const listen = (options?: Parameters<Client['simba']['stopOnSignals']>[0], { simba } = client) => {
  const listening = simba.stopOnSignals(options)
  disposables.push(listening)
  return listening
}
const send = (signal: NodeJS.Signals) => void process.emit(signal, signal)
const lead = (name = 'ingest', { simba } = client) => {
  const done = held()
  simba.election(name).runWhileLeader(() => done.promise)
  return done
}
const warnings = () => client.log.of('warn').map(({ message }) => message)

describe('the first signal', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s stops in handover order, and then ends the process with 0',
    async (signal) => {
      listen()
      const work = lead()
      await world.settle()
      send(signal)
      await world.pass(500)
      expect(exit).not.toHaveBeenCalled()
      expect(client.of('term.revoked')).toMatchObject([{ reason: 'stopped' }])
      work.resolve()
      await world.settle()
      expect(client.of('session.closed')).toHaveLength(1)
      expect(exit.mock.calls).toEqual([[]])
    },
  )

  test('of another kind is heard where it was asked for, and the others are not', async () => {
    const before = process.listenerCount('SIGTERM')
    listen({ signals: ['SIGUSR2'] })
    expect(process.listenerCount('SIGTERM')).toBe(before)
    send('SIGUSR2')
    await world.settle()
    expect(client.simba.getSnapshot().value).toBe('stopped')
  })

  test('leaves the end to whoever wants it, and the next one begins anew', async () => {
    const stopped: unknown[] = []
    listen({ onStopped: (signal) => stopped.push(signal) })
    send('SIGTERM')
    await world.settle()
    client.simba.send({ type: 'START' })
    await world.settle()
    send('SIGINT')
    await world.settle()
    expect([stopped, exit.mock.calls]).toEqual([['SIGTERM', 'SIGINT'], []])
    expect(warnings()).toEqual([])
  })

  test('ends the process when all of its clients have stopped, not when the first of them has', async () => {
    const other = world.client()
    listen()
    listen({}, other)
    lead('one').resolve()
    const work = lead('two', other)
    await world.settle()
    send('SIGTERM')
    await world.settle()
    expect(client.simba.getSnapshot().value).toBe('stopped')
    expect(exit).not.toHaveBeenCalled()
    work.resolve()
    await world.settle()
    expect(exit).toHaveBeenCalledTimes(1)
  })
})

describe('the second signal', () => {
  test('says which work is waited for, and for how long at most', async () => {
    listen()
    lead()
    lead('report').resolve()
    await world.settle()
    const token = client.of('term.started')[0]?.token
    send('SIGTERM')
    await world.pass(950)
    send('SIGTERM')
    expect(warnings()).toEqual([
      `Still waits for the work of 'ingest' to exit (token ${token}, at most ${VALID_MS - 950} ms more). The next signal ends the process at once.`,
    ])
    await world.pass(LEASE_MS)
  })

  test('says so where the store does not confirm the release', async () => {
    listen()
    lead().resolve()
    await world.settle()
    client.road.block(hanging)
    send('SIGTERM')
    await world.pass(100)
    send('SIGTERM')
    expect(warnings().at(-1)).toContain('Still waits for the store to confirm that leases are released.')
    client.road.heal()
    await world.pass(LEASE_MS + MARGIN_MS)
  })

  test('says so where the store does not confirm the end of the session', async () => {
    listen()
    client.road.trouble('close', hanging)
    await world.settle()
    send('SIGTERM')
    await world.pass(100)
    send('SIGTERM')
    expect(warnings().at(-1)).toContain('Still waits for the store to confirm the end of the session.')
    client.road.heal()
    await world.pass(LEASE_MS + MARGIN_MS)
  })
})

test('the third signal ends what runs elsewhere, and the process at once, with 128 and its number', async () => {
  listen()
  const executor = new FakeExecutor()
  executor.onKill = () => {}
  client.simba.election('ingest').runWhileLeader(executor)
  await world.settle()
  for (const signal of ['SIGTERM', 'SIGTERM', 'SIGINT'] as const) send(signal)
  expect([executor.last.kills, exit.mock.calls]).toEqual([1, [[130]]])
  executor.last.exit()
  await world.settle()
})

test('whoever disposes of it is not stopped any more, and the process has its signals back', async () => {
  const before = process.listenerCount('SIGTERM')
  const [one, two] = [listen(), listen({}, world.client())]
  expect(process.listenerCount('SIGTERM')).toBe(before + 1)
  one[Symbol.dispose]()
  send('SIGTERM')
  await world.settle()
  expect(client.simba.getSnapshot().value).not.toBe('stopped')
  two[Symbol.dispose]()
  expect(process.listenerCount('SIGTERM')).toBe(before)
})

test('what is not allowed is refused', () => {
  const refuse = (options: unknown, message: string) =>
    expect(() => client.simba.stopOnSignals(options as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringContaining(message) }),
    )
  refuse({ signals: ['SIGTERN'] }, 'signals is SIGTERN; allowed is a list of names like SIGTERM.')
  refuse({ signals: 'SIGTERM' }, 'signals is SIGTERM')
  refuse({ onStopped: 5 }, 'onStopped is 5; allowed is a function.')
  refuse({ exit: true }, "no option 'exit'")
})
