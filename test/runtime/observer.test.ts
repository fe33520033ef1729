/** Who leads, for those who only want to know. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Leader } from '../../src/index.ts'
import { hanging, refused } from '../support/road.ts'
import { untilAborted } from '../support/work.ts'
import { type Client, LEASE_MS, RENEW_MS, World } from '../support/world.ts'

let world: World
let client: Client

beforeEach(() => {
  world = new World()
  client = world.client()
})
afterEach(() => world.end())

const start = ({ simba } = client) => simba.election('ingest').runWhileLeader(untilAborted)

describe('leader()', () => {
  test('is nobody where nobody leads, and the node and the token where somebody does', async () => {
    const other = world.client()
    const ask = () => other.simba.election('ingest').leader()
    expect(await ask()).toBeNull()
    const task = start()
    await world.settle()
    expect(await ask()).toEqual({ node: 'node-1', token: task.term?.token })
    await world.until(task.stop(), 0)
    expect(await ask()).toBeNull()
  })

  test('does not contend', async () => {
    await client.simba.election('ingest').leader()
    expect(client.road.calls.map(({ method }) => method)).not.toContain('campaign')
  })

  test('answers on a client that is not running, too, and leaves nothing behind', async () => {
    start()
    await world.settle()
    const idle = world.idleClient()
    expect(await idle.simba.election('ingest').leader()).toMatchObject({ node: 'node-1' })
    expect(idle.road.calls.map(({ method }) => method)).toEqual(['leaders', 'disconnect'])
    await world.until(client.simba.stop(), LEASE_MS)
    expect(world.time.timers).toBe(0)
  })

  test('rejects where the store cannot be asked, within a renew interval', async () => {
    client.road.trouble('leaders', refused, 1)
    await expect(client.simba.election('ingest').leader()).rejects.toThrow('ECONNREFUSED')
    client.road.trouble('leaders', hanging, 1)
    await expect(world.until(client.simba.election('ingest').leader(), LEASE_MS)).rejects.toThrow(
      expect.objectContaining({
        code: 'BACKEND_UNAVAILABLE',
        message: "memory did not answer 'leaders' within 3000 ms.",
      }),
    )
  })

  test('does not count a session that has run out', async () => {
    const stranger = await world.stranger()
    await stranger.campaign('ingest', 1)
    expect(await client.simba.election('ingest').leader()).toMatchObject({ node: 'stranger' })
    await world.pass(LEASE_MS)
    expect(await client.simba.election('ingest').leader()).toBeNull()
  })
})

describe('observe()', () => {
  let seen: (string | null)[]
  const see = (leader: Leader | null) => seen.push(leader ? leader.node : null)
  beforeEach(() => {
    seen = []
  })

  test('tells who leads now, and then each change, once', async () => {
    const watcher = world.client()
    watcher.simba.election('ingest').observe(see)
    await world.pass(RENEW_MS)
    expect(seen).toEqual([null])
    const task = start()
    await world.pass(3 * RENEW_MS)
    expect(seen).toEqual([null, 'node-1'])
    const other = start(world.client())
    await world.until(task.stop(), 0)
    await world.pass(3 * RENEW_MS)
    expect(seen).toEqual([null, 'node-1', 'node-3'])
    await world.until(other.stop(), 0)
    await world.pass(RENEW_MS)
    expect(seen).toEqual([null, 'node-1', 'node-3', null])
  })

  test('tells a new term of the same node as a change', async () => {
    const tokens: unknown[] = []
    client.simba.election('ingest').observe((leader) => tokens.push(leader?.token))
    const task = start()
    await world.pass(2 * RENEW_MS)
    await world.until(task.stop(), 0)
    start()
    await world.pass(2 * RENEW_MS)
    const told = tokens.filter((token) => token !== undefined)
    expect(told).toHaveLength(2)
    expect(told[1]).toBeGreaterThan(told[0] as number)
  })

  test('tells nothing once it is ended, and leaves nothing behind; ending it twice does no harm', async () => {
    const off = client.simba.election('ingest').observe(see)
    await world.pass(RENEW_MS)
    off()
    off()
    start()
    await world.pass(3 * RENEW_MS)
    expect(seen).toEqual([null])
    const asked = client.road.count('leaders')
    await world.pass(3 * RENEW_MS)
    expect(client.road.count('leaders')).toBe(asked)
    expect(client.simba.getSnapshot().context.tasks.map(({ id }) => id)).toEqual(['ingest'])
  })

  test('ended while an answer is under way tells nothing of it', async () => {
    client.road.trouble('leaders', client.road.slowAnswer(1_000), 1)
    const off = client.simba.election('ingest').observe(see)
    await world.pass(500)
    off()
    await world.pass(LEASE_MS)
    expect(seen).toEqual([])
  })

  test('begins with START, pauses with STOP, and goes on with the next START', async () => {
    const idle = world.idleClient()
    idle.simba.election('ingest').observe(see)
    await world.pass(LEASE_MS)
    expect(seen).toEqual([])
    idle.simba.send({ type: 'START' })
    await world.pass(1)
    expect(seen).toEqual([null])
    await world.until(idle.simba.stop(), LEASE_MS)
    start()
    await world.pass(LEASE_MS)
    expect(seen).toEqual([null])
    idle.simba.send({ type: 'START' })
    await world.pass(1)
    expect(seen).toEqual([null, 'node-1'])
  })

  test('asks once per renew interval', async () => {
    client.simba.election('ingest').observe(see)
    await world.pass(1)
    const before = client.road.count('leaders')
    await world.pass(10 * RENEW_MS)
    expect(client.road.count('leaders') - before).toBe(10)
  })

  test('goes on through a time in which the store cannot be asked', async () => {
    client.simba.election('ingest').observe(see)
    await world.pass(1)
    client.road.trouble('leaders', refused, 3)
    start(world.client())
    await world.pass(3 * RENEW_MS)
    expect(seen).toEqual([null])
    await world.pass(RENEW_MS)
    expect(seen).toEqual([null, 'node-2'])
  })

  test.each([
    ['throws', () => { throw new Error('no') }], // biome-ignore format: one line each
    ['rejects', () => Promise.reject(new Error('no'))],
  ])('by a listener that %s is logged, and goes on as before', async (_, listener) => {
    let told = 0
    client.simba.election('ingest').observe(() => {
      told += 1
      return listener()
    })
    client.simba.election('ingest').observe(see)
    await world.pass(2 * RENEW_MS)
    expect(client.road.count('leaders')).toBeLessThanOrEqual(8)
    start()
    await world.pass(2 * RENEW_MS)
    expect([told, seen]).toEqual([2, [null, 'node-1']])
    expect(client.log.of('error')).toMatchObject([
      { message: 'A listener has failed.', details: { err: { message: 'no' } } },
      { message: 'A listener has failed.' },
    ])
  })

  test('may be ended by its own listener, which may also start leader work', async () => {
    const off = client.simba.election('ingest').observe((leader) => {
      see(leader)
      off()
      if (!leader) start()
    })
    await world.pass(3 * RENEW_MS)
    expect(seen).toEqual([null])
    expect(await client.simba.election('ingest').leader()).toMatchObject({ node: 'node-1' })
  })
})
