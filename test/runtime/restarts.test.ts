/** A store that restarts: with its data, without some of it, without all of it. Never two terms, and in the end everything is led. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Grant, RenewAnswer } from '../../src/backends/port.ts'
import type { Term } from '../../src/index.ts'
import { type Fault, refused } from '../support/road.ts'
import { untilAborted } from '../support/work.ts'
import { type Client, LEASE_MS, RENEW_MS, VALID_MS, World } from '../support/world.ts'

let world: World
let client: Client

beforeEach(() => {
  world = new World()
  client = world.client()
})
afterEach(() => world.end())

const start = ({ simba } = client, name = 'ingest') => simba.election(name).runWhileLeader(untilAborted)
const leader = () => client.simba.election('ingest').leader()

/** The next renewal is told that the store has these grants of its own. */
function answerHolds(change: (holds: readonly Grant[]) => readonly Grant[]): Fault {
  return async (deliver) => {
    const answer = (await deliver()) as Extract<RenewAnswer, { kind: 'renewed' }>
    expect(answer.holds).toBeDefined()
    return { ...answer, holds: change(answer.holds ?? []) }
  }
}

describe('with its data', () => {
  test('terms survive, and nobody is told anything', async () => {
    const task = start()
    const scheduled = start(client, 'other')
    await world.pass(RENEW_MS)
    const terms = [task.term, scheduled.term]
    const told = client.events.length
    world.backend.restart({ data: 'kept' })
    await world.pass(5 * LEASE_MS)
    expect([task.term, scheduled.term]).toEqual(terms)
    expect(terms.every((term) => term?.isValid)).toBe(true)
    expect(client.events.length).toBe(told)
  })

  test('nothing is granted for a lease duration, to nobody, and then it is', async () => {
    const other = world.client()
    await world.settle()
    world.backend.restart({ data: 'kept' })
    const [one, two] = [start(), start(other)]
    await world.pass(LEASE_MS - 1)
    expect([one.term, two.term]).toEqual([undefined, undefined])
    await world.pass(RENEW_MS)
    expect([one.term?.isValid ?? false, two.term?.isValid ?? false].filter(Boolean)).toHaveLength(1)
  })

  test('a lease that was released meanwhile is led again, after the quarantine', async () => {
    const task = start()
    const other = start(world.client())
    await world.pass(RENEW_MS)
    const { term } = task
    world.backend.restart({ data: 'kept' })
    await world.pass(RENEW_MS)
    await world.until(task.stop(), 0)
    await world.pass(LEASE_MS)
    expect(other.term?.isValid).toBe(true)
    expect(other.term?.token).toBeGreaterThan(term?.token ?? Number.NaN)
  })

  test('twice in a row, it is quarantined twice, and terms survive twice', async () => {
    const task = start()
    await world.pass(RENEW_MS)
    const { term } = task
    world.backend.restart({ data: 'kept' })
    await world.pass(LEASE_MS / 2)
    world.backend.restart({ data: 'kept' })
    const late = start(client, 'late')
    await world.pass(LEASE_MS - 1)
    expect([task.term, late.term]).toEqual([term, undefined])
    await world.pass(RENEW_MS)
    expect(late.term?.isValid).toBe(true)
  })

  test('a group goes on, its members and its partitions as they were', async () => {
    const other = world.client()
    const tasks = [client, other].map(({ simba }) => simba.group('g', { partitions: 8 }).runWhileLeader(untilAborted))
    await world.pass(RENEW_MS)
    const before = tasks.map((task) => task.partitions())
    const terms = [client, other].map(({ of }) => of('term.started').length)
    world.backend.restart({ data: 'kept' })
    await world.pass(3 * LEASE_MS)
    expect(tasks.map((task) => task.partitions())).toEqual(before)
    expect([client, other].map(({ of }) => of('term.started').length)).toEqual(terms)
  })
})

describe('without some of its last grants', () => {
  test('a term that the store has forgotten is cut at the next renewal, and its election contends again', async () => {
    const task = start()
    const kept = start(client, 'kept')
    await world.pass(RENEW_MS - 100)
    const { term } = task
    const keptTerm = kept.term
    world.backend.restart({ data: 'kept' })
    client.road.trouble(
      'renew',
      answerHolds((holds) => holds.filter(({ lease }) => lease !== 'ingest')),
      1,
    )
    await world.pass(100)
    expect(term?.isValid).toBe(false)
    expect(term?.signal.reason).toMatchObject({ reason: 'forgotten' })
    expect(client.of('term.revoked')).toMatchObject([{ lease: 'ingest', reason: 'forgotten', remainingMs: 0 }])
    await world.pass(LEASE_MS + RENEW_MS)
    expect(task.term?.token).toBeGreaterThan(term?.token ?? Number.NaN)
    expect([kept.term, keptTerm?.isValid]).toEqual([keptTerm, true])
  })

  test('a term whose lease the store has under another token is cut, too', async () => {
    const task = start()
    await world.pass(RENEW_MS - 100)
    const { term } = task
    world.backend.restart({ data: 'kept' })
    const older = (holds: readonly Grant[]) => holds.map(({ lease, token }) => ({ lease, token: token - 1 }))
    client.road.trouble('renew', answerHolds(older), 1)
    await world.pass(100)
    expect(term?.signal.reason).toMatchObject({ reason: 'forgotten' })
  })

  test('work that is still leaving under a forgotten grant is not waited for', async () => {
    const task = client.simba.election('ingest').runWhileLeader(() => new Promise(() => {}))
    await world.pass(RENEW_MS - 200)
    const stopped = task.stop()
    await world.pass(100)
    world.backend.restart({ data: 'kept' })
    client.road.trouble(
      'renew',
      answerHolds(() => []),
      1,
    )
    expect(await world.until(stopped, LEASE_MS)).toBe(100)
    expect(client.of('work.completed')).toMatchObject([{ outcome: 'ABANDONED' }])
  })
})

describe('with leases in this session’s name that nobody here knows of', () => {
  const stray = { lease: 'stray', token: 5 }

  test('they are given back, and those that are known are not', async () => {
    const task = start()
    await world.pass(RENEW_MS - 100)
    world.backend.restart({ data: 'kept' })
    client.road.trouble(
      'renew',
      answerHolds((holds) => [...holds, stray]),
      1,
    )
    await world.pass(200)
    const withdrawn = client.road.calls.filter(({ method }) => method === 'withdraw').map(({ args }) => args[0])
    expect(withdrawn).toEqual(['stray'])
    expect(task.term?.isValid).toBe(true)
  })

  test('they are given back again where the store could not be reached, until it is confirmed', async () => {
    await world.pass(RENEW_MS - 100)
    world.backend.restart({ data: 'kept' })
    client.road.trouble(
      'renew',
      answerHolds((holds) => [...holds, stray]),
      1,
    )
    client.road.trouble('withdraw', refused, 2)
    await world.pass(100)
    expect(client.road.count('withdraw')).toBe(1)
    await world.pass(2 * RENEW_MS)
    expect(client.road.count('withdraw')).toBe(3)
    await world.pass(5 * RENEW_MS)
    expect(client.road.count('withdraw')).toBe(3)
  })

  test('a real one is free for others again', async () => {
    // A grant whose election has gone without the store having heard of its release.
    const task = start()
    await world.pass(RENEW_MS - 500)
    client.road.trouble('release', async () => ({ kind: 'released' }), 1)
    await world.until(task.stop(), 0)
    expect(await leader()).toMatchObject({ node: 'node-1' })
    world.backend.restart({ data: 'kept' })
    await world.pass(500)
    expect(await leader()).toBeNull()
    const other = start(world.client())
    await world.pass(LEASE_MS + RENEW_MS)
    expect(other.term?.isValid).toBe(true)
  })
})

describe('without all of its data', () => {
  test('every session is lost at once when it asks, and everything is led again after a lease duration', async () => {
    const other = world.client()
    const tasks = [start(client, 'a'), start(other, 'b')]
    await world.pass(RENEW_MS)
    const terms = tasks.map(({ term }) => term) as Term[]
    world.backend.restart({ data: 'lost' })
    const lostAtMs = world.time.monotonicMs()
    await world.pass(RENEW_MS)
    expect(terms.map(({ isValid }) => isValid)).toEqual([false, false])
    for (const { of } of [client, other]) expect(of('session.lost')).toMatchObject([{ reason: 'session-lost' }])
    expect(tasks.map(({ term }) => term)).toEqual([undefined, undefined])
    while (tasks.some(({ term }) => !term)) await world.pass(10)
    // No sooner than the store has been up for a lease duration, and not much later.
    const ledAfterMs = world.time.monotonicMs() - lostAtMs
    expect(ledAfterMs).toBeGreaterThanOrEqual(LEASE_MS)
    expect(ledAfterMs).toBeLessThan(LEASE_MS + RENEW_MS)
    for (const [index, { term }] of tasks.entries()) expect(term?.token).toBeGreaterThan(terms[index]?.token ?? 0)
  })

  test('a term that nobody has been told of yet is over before another node is granted its lease', async () => {
    const task = start()
    await world.pass(RENEW_MS)
    const { term } = task
    // Neither hears nor is heard from here on.
    client.road.block(refused)
    world.backend.restart({ data: 'lost' })
    const other = start(world.client())
    while (!other.term) {
      await world.pass(10)
      if (other.term) break
    }
    expect(term?.isValid).toBe(false)
    expect(other.term?.token).toBeGreaterThan(term?.token ?? Number.NaN)
  })

  test('a group comes together again', async () => {
    const other = world.client()
    const tasks = [client, other].map(({ simba }) => simba.group('g', { partitions: 8 }).runWhileLeader(untilAborted))
    await world.pass(RENEW_MS)
    world.backend.restart({ data: 'lost' })
    await world.pass(LEASE_MS + 2 * RENEW_MS)
    const all = tasks.flatMap((task) => task.partitions())
    expect(all.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    for (const task of tasks)
      for (const partition of task.partitions()) expect(task.term(partition)?.isValid).toBe(true)
  })

  test('a stop in the quarantine ends at once', async () => {
    const task = start()
    await world.pass(RENEW_MS)
    world.backend.restart({ data: 'lost' })
    await world.pass(RENEW_MS + 500)
    expect(task.term).toBeUndefined()
    await world.until(task.stop(), 0)
    await world.until(client.simba.stop(), 0)
    expect(world.time.timers).toBe(0)
    expect(await world.storeIsEmpty()).toBe(true)
  })

  test('a lock that was held is lost, and one that is waited for is got in the end', async () => {
    const lock = await client.simba.lock('section').acquire()
    const waiting = world.client().simba.lock('section').acquire()
    await world.settle()
    world.backend.restart({ data: 'lost' })
    await world.pass(RENEW_MS)
    expect(lock.signal.aborted).toBe(true)
    await world.until(waiting, 2 * LEASE_MS)
    expect((await waiting).token).toBeGreaterThan(lock.token)
    await lock.release()
    await (await waiting).release()
  })
})

test('a store that comes back as another server for a moment costs terms at most their session', async () => {
  const task = start()
  await world.pass(RENEW_MS)
  client.road.block(refused)
  await world.pass(VALID_MS - RENEW_MS)
  world.backend.restart({ data: 'kept' })
  client.road.heal()
  await world.pass(2 * LEASE_MS)
  expect(task.term?.isValid).toBe(true)
  expect(client.of('term.started').length).toBe(client.of('term.ended').length + 1)
})
