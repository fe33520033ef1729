/** One section of code at a time: who waits for a lock, in which order, and how each way of not getting it leaves nothing behind. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { HeldLock } from '../../src/index.ts'
import { answerLost, refused } from '../support/road.ts'
import { type Client, LEASE_MS, RENEW_MS, VALID_MS, World } from '../support/world.ts'

let world: World
let client: Client
const STOPPED = expect.objectContaining({ code: 'STOPPED' })
const TIMEOUT = expect.objectContaining({ code: 'ACQUIRE_TIMEOUT' })

beforeEach(() => {
  world = new World()
  client = world.client()
})
afterEach(() => world.end())

/** Somebody else holds the lock. */
async function heldByStranger(lease = 'section') {
  const stranger = await world.stranger()
  const answer = await stranger.campaign(lease, 1)
  expect(answer.kind).toBe('granted')
  return stranger
}

/** What has become of each attempt so far. */
function follow(attempts: Readonly<Record<string, Promise<HeldLock>>>): string[] {
  const seen: string[] = []
  for (const [name, attempt] of Object.entries(attempts)) {
    attempt.then(
      () => seen.push(name),
      (error: { code: string }) => seen.push(`${name}: ${error.code}`),
    )
  }
  return seen
}

const leader = () => client.simba.election('section').leader()

describe('a lock that is held', () => {
  test('has a token, a signal and a valid term, and is this node’s in the store', async () => {
    const lock = await client.simba.lock('section').acquire()
    expect(lock.term.isValid).toBe(true)
    expect(lock.token).toBe(lock.term.token)
    expect(lock.signal).toBe(lock.term.signal)
    expect(await leader()).toEqual({ node: client.simba.node, token: lock.token })
    expect(client.simba.lock('section').name).toBe('section')
  })

  test('is kept by renewals for as long as it takes', async () => {
    const lock = await client.simba.lock('section').acquire()
    await world.pass(10 * LEASE_MS)
    expect([lock.term.isValid, lock.signal.aborted]).toEqual([true, false])
  })

  test('is given back when the release resolves, and a release twice, or at once twice, is as good as once', async () => {
    const lock = await client.simba.lock('section').acquire()
    client.road.trouble('release', client.road.slowAnswer(100), 1)
    const released = Promise.all([lock.release(), lock.release()])
    expect(await world.until(released, 200)).toBe(100)
    expect(await leader()).toBeNull()
    await world.until(lock.release(), 0)
    expect(client.road.count('release')).toBe(1)
    expect(lock.term.isValid).toBe(false)
  })

  test('is given back at the end of the block with await using', async () => {
    {
      await using lock = await client.simba.lock('section').acquire()
      expect(await leader()).toMatchObject({ token: lock.token })
    }
    expect(await leader()).toBeNull()
  })

  test('is given back when the block throws', async () => {
    const failing = async () => {
      await using _ = await client.simba.lock('section').acquire()
      throw new Error('no')
    }
    await expect(failing()).rejects.toThrow('no')
    expect(await leader()).toBeNull()
  })

  test('has a greater token each time', async () => {
    let last = 0
    for (let count = 0; count < 5; count++) {
      await using lock = await client.simba.lock('section').acquire()
      expect(lock.token).toBeGreaterThan(last)
      last = lock.token
    }
  })

  test('can be had under hundreds of names in a row, and none of them stays', async () => {
    for (let count = 0; count < 300; count++) {
      await using _ = await client.simba.lock(`section-${count}`).acquire()
    }
    const { children } = client.simba.getSnapshot()
    expect(client.simba.getSnapshot().context.tasks).toEqual([])
    expect(children.elections).toBeDefined()
  })
})

describe('those of one client that wait for one lock', () => {
  test('get it one after the other, in the order in which they asked', async () => {
    const lock = client.simba.lock('section')
    const attempts = { a: lock.acquire(), b: lock.acquire(), c: client.simba.lock('section').acquire() }
    const seen = follow(attempts)
    await world.settle()
    expect(seen).toEqual(['a'])
    await (await attempts.a).release()
    await world.settle()
    expect(seen).toEqual(['a', 'b'])
    await (await attempts.b).release()
    await world.settle()
    expect(seen).toEqual(['a', 'b', 'c'])
  })

  test('never hold it together, and let a waiter of another node in between', async () => {
    const other = world.client()
    let holders = 0
    let most = 0
    const nodes: string[] = []
    const section = async ({ simba }: Client) => {
      await using _ = await simba.lock('section').acquire()
      holders += 1
      most = Math.max(most, holders)
      nodes.push(simba.node)
      await world.sleep(100)
      holders -= 1
    }
    const all = [section(client), section(client), section(other), section(client), section(other)]
    await world.until(Promise.all(all), LEASE_MS)
    expect(most).toBe(1)
    expect(nodes).toEqual(['node-1', 'node-2', 'node-1', 'node-2', 'node-1'])
  })

  test('move up when one of them gives up', async () => {
    const lock = client.simba.lock('section')
    const first = await lock.acquire()
    const attempts = { b: lock.acquire({ timeout: '1s' }), c: lock.acquire() }
    const seen = follow(attempts)
    await world.pass(1_000)
    expect(seen).toEqual(['b: ACQUIRE_TIMEOUT'])
    await first.release()
    await world.settle()
    expect(seen).toEqual(['b: ACQUIRE_TIMEOUT', 'c'])
  })

  test('get their turn when the one before them has failed in the store', async () => {
    const stranger = await heldByStranger()
    const lock = client.simba.lock('section')
    const attempts = { a: lock.acquire({ timeout: '1s' }), b: lock.acquire() }
    const seen = follow(attempts)
    await world.pass(1_000)
    expect(seen).toEqual(['a: ACQUIRE_TIMEOUT'])
    await stranger.close()
    await world.pass(1)
    expect(seen).toEqual(['a: ACQUIRE_TIMEOUT', 'b'])
  })
})

describe('a timeout', () => {
  test('rejects when it has passed, not before', async () => {
    await heldByStranger()
    const attempt = client.simba.lock('section').acquire({ timeout: '2s' })
    const seen = follow({ attempt })
    await world.pass(1_999)
    expect(seen).toEqual([])
    await world.pass(1)
    expect(seen).toEqual(['attempt: ACQUIRE_TIMEOUT'])
    await expect(attempt).rejects.toThrow("The lock 'section' was not acquired within 2000 ms.")
  })

  test('withdraws from the line first: nobody who has gone is offered the lock', async () => {
    const stranger = await heldByStranger()
    const attempt = client.simba.lock('section').acquire({ timeout: '1s' })
    client.road.trouble('withdraw', client.road.slowAnswer(300), 1)
    const seen = follow({ attempt })
    await world.pass(1_299)
    expect(seen).toEqual([])
    await world.pass(1)
    expect(seen).toEqual(['attempt: ACQUIRE_TIMEOUT'])
    const other = await world.stranger()
    await other.campaign('section', 1)
    await stranger.close()
    const answer = await other.campaign('section', 2)
    expect(answer.kind).toBe('granted')
    await other.close()
  })

  test('during a campaign whose answer is lost gives the grant back before it rejects', async () => {
    client.road.trouble('campaign', answerLost)
    const attempt = client.simba.lock('section').acquire({ timeout: '1s' })
    await expect(world.until(attempt, 2_000)).rejects.toThrow(TIMEOUT)
    expect(client.road.calls.at(-1)?.method).toBe('withdraw')
    expect(await leader()).toBeNull()
    expect(client.of('term.started')).toEqual([])
  })

  test('during a campaign whose answer is slow gives back the grant that comes afterwards', async () => {
    client.road.trouble('campaign', client.road.slowAnswer(2_000), 1)
    const attempt = client.simba.lock('section').acquire({ timeout: '1s' })
    await expect(world.until(attempt, 3_000)).rejects.toThrow(TIMEOUT)
    expect(client.of('term.started')).toEqual([])
    expect(await leader()).toBeNull()
  })

  test('of one who gets the lock in time has no effect, and no timer, any more', async () => {
    const lock = await client.simba.lock('section').acquire({ timeout: '1h' })
    const other = await client.simba.lock('other').acquire({ timeout: '5s' })
    await world.pass(LEASE_MS)
    expect([lock.term.isValid, other.term.isValid]).toEqual([true, true])
    await Promise.all([lock.release(), other.release()])
    await world.until(client.simba.stop(), 0)
    expect(world.time.timers).toBe(0)
  })

  test('counts on a client that is not running, too', async () => {
    const { simba } = world.idleClient()
    const attempt = simba.lock('section').acquire({ timeout: '1s' })
    await expect(world.until(attempt, 2_000)).rejects.toThrow(TIMEOUT)
    simba.send({ type: 'START' })
    await world.settle()
    expect(await leader()).toBeNull()
  })

  test('rejects within the lease while the store is unreachable', async () => {
    client.road.block(refused)
    const attempt = client.simba.lock('section').acquire({ timeout: '1s' })
    await expect(world.until(attempt, LEASE_MS)).rejects.toThrow(TIMEOUT)
  })

  test.each([
    [{ timeout: 0 }, 'timeout is 0; allowed is a duration from 1 ms'],
    [{ timeout: '10' }, 'timeout is "10"; allowed is a duration'],
    [{ timeout: -1 }, 'timeout is -1'],
    [{ timeOut: 5 }, "acquire() has no option 'timeOut'; allowed are timeout."],
    [null, 'The options of acquire() are null'],
  ])('that is none is refused: %j', async (options, message) => {
    await expect(client.simba.lock('section').acquire(options as never)).rejects.toThrow(message)
    await using _ = await client.simba.lock('section').acquire()
  })
})

describe('a STOP of the client', () => {
  test('rejects those that wait, in line here and in the store, and aborts the signal of the one that holds', async () => {
    const lock = client.simba.lock('section')
    await heldByStranger('other')
    const holder = await lock.acquire()
    const attempts = { a: lock.acquire(), b: lock.acquire(), c: client.simba.lock('other').acquire() }
    const seen = follow(attempts)
    await world.settle()
    const stopped = client.simba.stop()
    await world.settle()
    expect(holder.signal.aborted).toBe(true)
    expect(seen.toSorted()).toEqual(['a: STOPPED', 'b: STOPPED', 'c: STOPPED'])
    await expect(attempts.b).rejects.toThrow("The client was stopped while somebody waited for the lock 'section'.")
    await holder.release()
    await world.until(stopped, 0)
    expect(await leader()).toBeNull()
  })

  test('waits for the holder no longer than the term has left', async () => {
    const holder = await client.simba.lock('section').acquire()
    await world.pass(RENEW_MS)
    const stopped = client.simba.stop()
    expect(await world.until(stopped, LEASE_MS)).toBe(VALID_MS)
    expect(holder.term.isValid).toBe(false)
    await world.until(holder.release(), 0)
  })

  test.each(['at once', 'a promise later'])('reaches an attempt that has only just begun: %s', async (when) => {
    const attempt = client.simba.lock('section').acquire()
    const seen = follow({ attempt })
    if (when === 'a promise later') await undefined
    client.simba.send({ type: 'STOP' })
    await world.pass(1_000)
    expect(seen).toEqual(['attempt: STOPPED'])
    client.simba.send({ type: 'START' })
    await world.settle()
    expect(await leader()).toBeNull()
  })

  test.each(['at once', 'a promise later', 'two promises later'])(
    'reaches one whose turn has only just come: %s',
    async (when) => {
      const lock = client.simba.lock('section')
      const holder = await lock.acquire()
      const next = lock.acquire()
      const seen = follow({ next })
      await world.settle()
      void holder.release().then(async () => {
        if (when !== 'at once') await undefined
        if (when === 'two promises later') await undefined
        client.simba.send({ type: 'STOP' })
      })
      await world.pass(1_000)
      expect(seen).toEqual(['next: STOPPED'])
    },
  )

  test('that comes before START rejects those that waited for START', async () => {
    const { simba } = world.idleClient()
    const attempt = simba.lock('section').acquire()
    await world.settle()
    simba.send({ type: 'STOP' })
    await expect(attempt).rejects.toThrow(STOPPED)
  })
})

test('on a client that is not running, a lock waits for START', async () => {
  const { simba } = world.idleClient()
  const attempt = simba.lock('section').acquire()
  const seen = follow({ attempt })
  await world.pass(LEASE_MS)
  expect(seen).toEqual([])
  simba.send({ type: 'START' })
  await world.settle()
  expect(seen).toEqual(['attempt'])
})

test('on a client that was stopped, a lock waits for the next START', async () => {
  await world.until(client.simba.stop(), 0)
  const attempt = client.simba.lock('section').acquire()
  const seen = follow({ attempt })
  await world.pass(LEASE_MS)
  expect(seen).toEqual([])
  client.simba.send({ type: 'START' })
  await world.settle()
  expect(seen).toEqual(['attempt'])
})

describe('a lock whose session is lost', () => {
  test('tells its holder, is never taken again for the same holder, and its release does no harm', async () => {
    const lock = await client.simba.lock('section').acquire()
    client.road.trouble('renew', refused)
    client.road.trouble('release', refused)
    await world.pass(VALID_MS)
    expect([lock.term.isValid, lock.signal.aborted]).toEqual([false, true])
    expect(await lock.term.revoked).toMatchObject({ reason: 'expired' })
    client.road.heal()
    await world.pass(LEASE_MS)
    expect(await leader()).toBeNull()
    expect(client.of('term.started')).toHaveLength(1)
    await world.until(lock.release(), 0)
  })

  test('goes to the next of this client only when the holder has given it back', async () => {
    const lock = client.simba.lock('section')
    const holder = await lock.acquire()
    const next = lock.acquire()
    const seen = follow({ next })
    client.road.trouble('renew', refused)
    await world.pass(VALID_MS)
    client.road.heal()
    await world.pass(LEASE_MS)
    expect(seen).toEqual([])
    await holder.release()
    await world.pass(1)
    expect(seen).toEqual(['next'])
    expect((await next).token).toBeGreaterThan(holder.token)
  })

  test('that is lost while somebody waits in line is waited for anew with the next session', async () => {
    const stranger = await heldByStranger()
    const attempt = client.simba.lock('section').acquire()
    const seen = follow({ attempt })
    await world.settle()
    client.road.trouble('renew', refused)
    for (let count = 0; count < 5; count++) {
      await world.pass(RENEW_MS)
      await stranger.renew({ settled: 0, epoch: 1 })
    }
    client.road.heal()
    await world.pass(1_000)
    expect(client.of('session.lost')).toHaveLength(1)
    expect(seen).toEqual([])
    await stranger.close()
    await world.pass(1)
    expect(seen).toEqual(['attempt'])
  })
})

test('a lock inside leader work is given back within it, though the work goes on', async () => {
  const order: string[] = []
  const task = client.simba.election('ingest').runWhileLeader(async () => {
    {
      await using _ = await client.simba.lock('section').acquire()
      order.push('held')
    }
    expect(await leader()).toBeNull()
    order.push('given back')
    await client.simba
      .lock('ingest')
      .acquire()
      .catch((error: { code: string }) => order.push(error.code))
  })
  await world.settle()
  expect(order).toEqual(['held', 'given back', 'ALREADY_STARTED'])
  await world.until(task.stop(), 0)
})
