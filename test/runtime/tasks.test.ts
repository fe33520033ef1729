/** Names on one client: what is taken, by whom, and from when on it is free again. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fixedRate } from '../../src/index.ts'
import { held, untilAborted } from '../support/work.ts'
import { type Client, LEASE_MS, World } from '../support/world.ts'

let world: World
let client: Client
const ALREADY_STARTED = expect.objectContaining({ code: 'ALREADY_STARTED' })

beforeEach(() => {
  world = new World()
  client = world.client()
})
afterEach(() => world.end())

describe('a second owner of one name on one client', () => {
  test.each([
    ['an election', () => client.simba.election('a').runWhileLeader(() => {})],
    ['a schedule', () => client.simba.election('a').schedule(fixedRate('1s'), () => {})],
  ])('is refused beside an election: %s', (_, start) => {
    client.simba.election('a').runWhileLeader(untilAborted)
    expect(start).toThrow("'a' cannot be started: this client has started 'a' already, and its stop is not complete.")
    expect(start).toThrow(ALREADY_STARTED)
  })

  test('is refused beside an election: a lock', async () => {
    client.simba.election('a').runWhileLeader(untilAborted)
    await expect(client.simba.lock('a').acquire()).rejects.toThrow(ALREADY_STARTED)
  })

  test('is refused beside a lock that somebody holds or waits for: an election', async () => {
    const stranger = await world.stranger()
    await stranger.campaign('a', 1)
    const waiting = client.simba.lock('a').acquire()
    await world.settle()
    expect(() => client.simba.election('a').runWhileLeader(() => {})).toThrow(ALREADY_STARTED)
    await stranger.close()
    const lock = await waiting
    expect(() => client.simba.election('a').runWhileLeader(() => {})).toThrow(ALREADY_STARTED)
    await lock.release()
    client.simba.election('a').runWhileLeader(untilAborted)
  })

  test('is refused beside a group: the same group, whatever its partitions', () => {
    client.simba.group('g', { partitions: 4 }).runWhileLeader(untilAborted)
    expect(() => client.simba.group('g', { partitions: 8 }).runWhileLeader(() => {})).toThrow(
      "'g' cannot be started: this client has started the group 'g' already, and its stop is not complete.",
    )
  })

  test('is refused beside a group: an election or a lock that would be one of its partitions', async () => {
    client.simba.group('g', { partitions: 4 }).runWhileLeader(untilAborted)
    expect(() => client.simba.election('g.3').runWhileLeader(() => {})).toThrow(
      "'g.3' cannot be started: this client has started the group 'g' already, and its stop is not complete.",
    )
    await expect(client.simba.lock('g.0').acquire()).rejects.toThrow(ALREADY_STARTED)
  })

  test('is refused beside an election or a lock: a group with a partition of that name', async () => {
    client.simba.election('g.3').runWhileLeader(untilAborted)
    expect(() => client.simba.group('g', { partitions: 4 }).runWhileLeader(() => {})).toThrow(
      "'g' cannot be started: this client has started 'g.3' already, and its stop is not complete.",
    )
    const lock = await client.simba.lock('h.0').acquire()
    expect(() => client.simba.group('h', { partitions: 1 }).runWhileLeader(() => {})).toThrow(ALREADY_STARTED)
    await lock.release()
    client.simba.group('h', { partitions: 1 }).runWhileLeader(untilAborted)
  })

  test('is fine where it only looks like one: leases beyond the partitions, and the name of the group itself', async () => {
    client.simba.group('g', { partitions: 4 }).runWhileLeader(untilAborted)
    client.simba.election('g.4').runWhileLeader(untilAborted)
    client.simba.election('g.03').runWhileLeader(untilAborted)
    client.simba.election('g').runWhileLeader(untilAborted)
    client.simba.group('g.1', { partitions: 4 }).runWhileLeader(untilAborted)
    await world.settle()
    expect(client.of('term.started')).toHaveLength(11)
  })

  test('is fine for another client, which contends', async () => {
    client.simba.election('a').runWhileLeader(untilAborted)
    const other = world.client()
    const task = other.simba.election('a').runWhileLeader(untilAborted)
    await world.settle()
    expect(task.term).toBeUndefined()
  })

  test('is fine for those who only watch', () => {
    client.simba.election('a').runWhileLeader(untilAborted)
    const off = client.simba.election('a').observe(() => {})
    client.simba.election('a').observe(() => {})
    off()
  })

  test('is refused on a client that is not running, too, and whatever was refused changes nothing', async () => {
    const { simba, of } = world.idleClient()
    let runs = 0
    simba.election('a').runWhileLeader(() => {
      runs += 1
    })
    expect(() => simba.election('a').runWhileLeader(() => {})).toThrow(ALREADY_STARTED)
    simba.send({ type: 'START' })
    await world.settle()
    expect([of('term.started').length, runs]).toEqual([1, 1])
  })
})

describe('a name is taken until the stop of its owner is complete:', () => {
  test('while the work is still leaving, and while the release is under way; then it is free', async () => {
    const exit = held()
    const start = () => client.simba.election('a').runWhileLeader(() => exit.promise)
    const task = start()
    await world.settle()

    client.road.trouble('release', client.road.slowAnswer(100), 1)
    const stopped = task.stop()
    expect(start).toThrow(ALREADY_STARTED)
    await world.pass(100)
    expect(start).toThrow(ALREADY_STARTED)
    exit.resolve()
    await world.pass(50)
    expect(start).toThrow(ALREADY_STARTED)
    await world.until(stopped, 100)
    start()
    await world.settle()
    expect(client.of('term.started')).toHaveLength(2)
  })

  test('a group keeps its name while one partition is still leaving', async () => {
    const exit = held()
    const start = () => client.simba.group('g', { partitions: 2 }).runWhileLeader(() => exit.promise)
    const task = start()
    await world.settle()
    const stopped = task.stop()
    await world.pass(100)
    expect(start).toThrow(ALREADY_STARTED)
    expect(() => client.simba.election('g.1').runWhileLeader(() => {})).toThrow(ALREADY_STARTED)
    exit.resolve()
    await world.until(stopped, 100)
    start()
  })

  test('a STOP of the client frees no name: what was declared begins again with START', async () => {
    client.simba.election('a').runWhileLeader(untilAborted)
    await world.settle()
    await world.until(client.simba.stop(), LEASE_MS)
    expect(() => client.simba.election('a').runWhileLeader(() => {})).toThrow(ALREADY_STARTED)
  })

  test('a stop while the client is not running frees it at once', async () => {
    const { simba } = world.idleClient()
    const task = simba.election('a').runWhileLeader(untilAborted)
    await world.until(task.stop(), 0)
    simba.election('a').runWhileLeader(untilAborted)
    const group = simba.group('g', { partitions: 2 }).runWhileLeader(untilAborted)
    await world.until(group.stop(), 0)
    simba.group('g', { partitions: 3 }).runWhileLeader(untilAborted)
  })
})

test('names that every JavaScript object answers to are names like any other', async () => {
  const names = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf']
  const tasks = names.map((name) => client.simba.election(name).runWhileLeader(untilAborted))
  const group = client.simba.group('constructor', { partitions: 2 }).runWhileLeader(untilAborted)
  const lock = await client.simba.lock('propertyIsEnumerable').acquire()
  await world.settle()
  expect(tasks.map(({ term }) => term?.lease)).toEqual(names)
  expect(group.partitions()).toEqual([0, 1])
  await world.until(Promise.all([...tasks, group, lock].map((one) => one[Symbol.asyncDispose]())), 0)
  expect(client.log.of('error')).toEqual([])
})

test('names of the library’s own actors are names like any other', async () => {
  const names = ['elections', 'session', 'simba', 'cohort.0', 'term', 'work', 'election', 'campaign']
  const tasks = names.map((name) => client.simba.election(name).runWhileLeader(untilAborted))
  await world.settle()
  expect(tasks.map(({ term }) => term?.lease)).toEqual(names)
  await world.until(tasks[0]?.stop() ?? Promise.resolve(), 0)
  await world.until(client.simba.stop(), LEASE_MS)
  client.simba.send({ type: 'START' })
  await world.settle()
  expect(tasks.map(({ term }) => term?.lease)).toEqual([undefined, ...names.slice(1)])
})
