/** A group of partitions on several nodes: who runs which, what a newcomer and a leaver move, and what stays untouched. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FatalWorkError, fixedRate, type GroupTask, type Term } from '../../src/index.ts'
import { answerLost, hanging, refused } from '../support/road.ts'
import { held, untilAborted } from '../support/work.ts'
import { type Client, LEASE_MS, RENEW_MS, VALID_MS, World } from '../support/world.ts'

const PARTITIONS = 12
const ALL = Array.from({ length: PARTITIONS }, (_, partition) => partition)

let world: World
let clients: Client[]

beforeEach(async () => {
  world = new World()
  clients = []
  for (let count = 0; count < 3; count++) {
    clients.push(world.client())
    await world.settle()
  }
})
afterEach(() => world.end())

/** Runs of partitions, as they come and go: `node-1 in 3`, `node-1 out 3`. */
let runs: string[] = []
beforeEach(() => {
  runs = []
})

function start({ simba }: Client, partitions = PARTITIONS, balance?: 'hashed' | 'bounded'): GroupTask {
  return simba.group('g', { partitions, balance }).runWhileLeader(async (term, partition) => {
    runs.push(`${simba.node} in ${partition}`)
    await untilAborted(term)
    runs.push(`${simba.node} out ${partition}`)
  })
}

async function startAll(count = 3): Promise<GroupTask[]> {
  const tasks: GroupTask[] = []
  for (const client of clients.slice(0, count)) {
    tasks.push(start(client))
    await world.pass(10)
  }
  return tasks
}

const owned = (tasks: readonly GroupTask[]) => tasks.flatMap((task) => task.partitions()).toSorted((a, b) => a - b)
const led = (task: GroupTask) => ALL.filter((partition) => task.term(partition)?.isValid)
const one = () => clients[0] as Client
const two = () => clients[1] as Client
const three = () => clients[2] as Client

describe('a group', () => {
  test('of one node runs all partitions there, each under its own lease, token and term', async () => {
    const terms: Term[] = []
    const task = one()
      .simba.group('g', { partitions: 3 })
      .runWhileLeader((term, partition) => {
        expect([term.lease, term.partition]).toEqual([`g.${partition}`, partition])
        terms.push(term)
        return untilAborted(term)
      })
    await world.settle()
    expect(task.partitions()).toEqual([0, 1, 2])
    expect(new Set(terms.map(({ token }) => token)).size).toBe(3)
    expect([task.term(1), task.term(3)]).toEqual([terms.find(({ partition }) => partition === 1), undefined])
    expect(await two().simba.election('g.2').leader()).toMatchObject({ node: 'node-1' })
    expect(task.actor?.getSnapshot().status).toBe('active')
  })

  test('of three nodes runs each partition on exactly one, as all their views say', async () => {
    const tasks = await startAll()
    expect(owned(tasks)).toEqual(ALL)
    for (const task of tasks) expect(led(task)).toEqual(task.partitions())
    for (const task of tasks) expect(task.partitions().length).toBeGreaterThan(0)
    const views = clients.map(({ of }) => of('members.changed').at(-1))
    expect(new Set(views.map((view) => view?.version)).size).toBe(1)
    expect(views[0]?.members.toSorted()).toEqual(['node-1', 'node-2', 'node-3'])
  })

  test('gives one the partition as the argument of its work, on a schedule too', async () => {
    const seen: number[] = []
    one()
      .simba.group('g', { partitions: 3 })
      .schedule(fixedRate('1s'), (_, partition) => void seen.push(partition))
    await world.pass(2_500)
    expect(seen).toEqual([0, 1, 2, 0, 1, 2, 0, 1, 2])
  })

  test('costs one command per renew interval in a calm time', async () => {
    await startAll()
    const before = clients.map(({ road }) => road.calls.length)
    await world.pass(10 * RENEW_MS)
    for (const [index, { road }] of clients.entries())
      expect(road.calls.slice(before[index]).map(({ method }) => method)).toEqual(Array(10).fill('renew'))
  })

  test('tells each member what it gained and lost, in one piece', async () => {
    const tasks = await startAll()
    for (const [index, { of }] of clients.entries()) {
      let had: readonly number[] = []
      for (const { partitions, gained, lost } of of('assignment.changed')) {
        expect(partitions).toEqual([...had.filter((p) => !lost.includes(p)), ...gained].toSorted((a, b) => a - b))
        had = partitions
      }
      expect(had).toEqual(tasks[index]?.partitions())
    }
  })
})

describe('a newcomer', () => {
  test('gets partitions from the others, and only what must move moves: the rest runs on untouched', async () => {
    const [first, second] = (await startAll(2)) as [GroupTask, GroupTask]
    const kept = new Map([first, second].flatMap((task) => task.partitions().map((p) => [p, task.term(p)] as const)))
    runs = []
    const third = start(three())
    await world.pass(10)
    const moved = third.partitions()
    expect(moved.length).toBeGreaterThan(0)
    expect(moved.length).toBeLessThan(PARTITIONS)
    for (const task of [first, second])
      for (const partition of task.partitions()) expect(task.term(partition)).toBe(kept.get(partition))
    const outs = runs.filter((run) => run.includes('out')).map((run) => Number(run.split(' ')[2]))
    expect(outs.toSorted((a, b) => a - b)).toEqual(moved)
    for (const partition of moved) {
      const story = runs.filter((run) => run.endsWith(` ${partition}`))
      expect(story).toEqual([expect.stringMatching(/^node-[12] out/), `node-3 in ${partition}`])
    }
  })

  test('waits for work that is still leaving: a partition has one term at a time', async () => {
    const exit = held()
    const first = one()
      .simba.group('g', { partitions: PARTITIONS })
      .runWhileLeader(async (term) => {
        await untilAborted(term)
        await exit.promise
      })
    await world.settle()
    const second = start(two())
    await world.pass(RENEW_MS)
    const moved = second.partitions()
    expect(moved.length).toBeGreaterThan(0)
    expect(led(second)).toEqual([])
    expect(first.partitions().some((partition) => moved.includes(partition))).toBe(false)
    exit.resolve()
    await world.pass(10)
    expect(led(second)).toEqual(moved)
    expect(
      one()
        .of('term.ended')
        .map(({ reason }) => reason),
    ).toEqual(moved.map(() => 'moved'))
  })

  test('that goes again before the handover is over leaves the partition where it was, for a new term', async () => {
    const exit = held()
    const first = one()
      .simba.group('g', { partitions: PARTITIONS })
      .runWhileLeader(async (term) => {
        await untilAborted(term)
        await exit.promise
      })
    await world.settle()
    const tokens = ALL.map((partition) => first.term(partition)?.token ?? Number.NaN)
    const second = start(two())
    await world.pass(100)
    const moved = second.partitions()
    expect(moved.length).toBeGreaterThan(0)
    await world.until(second.stop(), 0)
    await world.settle()
    expect(first.partitions()).toEqual(ALL)
    exit.resolve()
    await world.pass(10)
    for (const partition of ALL) {
      const token = first.term(partition)?.token ?? Number.NaN
      if (moved.includes(partition)) expect(token).toBeGreaterThan(tokens[partition] as number)
      else expect(token).toBe(tokens[partition])
    }
    expect(two().of('term.started')).toEqual([])
  })
})

describe('a leaver', () => {
  test('leaves first, then hands over everything; the others take over at once, and keep what they had', async () => {
    const [first, second, third] = (await startAll()) as [GroupTask, GroupTask, GroupTask]
    const before = [first, second].map((task) => task.partitions().map((p) => task.term(p)))
    const given = third.partitions()
    runs = []
    await world.until(third.stop(), 0)
    await world.settle()
    expect(third.partitions()).toEqual([])
    expect(owned([first, second])).toEqual(ALL)
    expect([...led(first), ...led(second)].toSorted((a, b) => a - b)).toEqual(ALL)
    for (const [index, task] of [first, second].entries())
      expect(task.partitions().map((p) => task.term(p))).toEqual(expect.arrayContaining(before[index] ?? []))
    expect(runs.filter((run) => run.startsWith('node-3 out'))).toHaveLength(given.length)
    const order = three()
      .road.calls.map(({ method }) => method)
      .filter((method) => /leave|release/.test(method))
    expect(order).toEqual(['leave', ...given.map(() => 'release')])
    expect(
      three()
        .of('term.ended')
        .map(({ reason }) => reason),
    ).toEqual(given.map(() => 'stopped'))
  })

  test('that cannot tell the others hands over all the same, and goes on telling them', async () => {
    const [first, second] = (await startAll(2)) as [GroupTask, GroupTask]
    two().road.trouble('leave', refused, 3)
    await world.until(second.stop(), RENEW_MS)
    await world.settle()
    expect(led(first)).toEqual(ALL)
    expect(two().road.count('leave')).toBe(4)
  })

  test.each([
    ['whose farewell was heard, but not answered', answerLost],
    ['whose farewell nobody answers', hanging],
  ])('%s is gone', async (_, fault) => {
    const [first, second] = (await startAll(2)) as [GroupTask, GroupTask]
    two().road.trouble('leave', fault, 1)
    await world.until(second.stop(), 2 * RENEW_MS)
    await world.settle()
    expect(led(first)).toEqual(ALL)
  })

  test('that is a whole client does the same', async () => {
    const [first, , third] = (await startAll()) as [GroupTask, GroupTask, GroupTask]
    await world.until(two().simba.stop(), 0)
    await world.settle()
    expect(owned([first, third])).toEqual(ALL)
    expect([...led(first), ...led(third)].toSorted((a, b) => a - b)).toEqual(ALL)
  })

  test('that dies is missed when its session runs out, and its partitions are run elsewhere', async () => {
    const [first, second, third] = (await startAll()) as [GroupTask, GroupTask, GroupTask]
    three().road.block(hanging)
    await world.pass(VALID_MS)
    expect(led(third)).toEqual([])
    await world.pass(LEASE_MS - VALID_MS + RENEW_MS)
    expect([...led(first), ...led(second)].toSorted((a, b) => a - b)).toEqual(ALL)
  })

  test('that leaves while partitions are still leaving because of an earlier view hands those over, too', async () => {
    const exit = held()
    const first = one()
      .simba.group('g', { partitions: PARTITIONS })
      .runWhileLeader(async (term) => {
        await untilAborted(term)
        await exit.promise
      })
    await world.settle()
    const second = start(two())
    await world.pass(100)
    let isStopped = false
    const stopped = first.stop().then(() => {
      isStopped = true
    })
    await world.pass(100)
    expect([isStopped, led(second)]).toEqual([false, []])
    exit.resolve()
    await world.until(stopped, 0)
    await world.settle()
    expect(led(second)).toEqual(ALL)
  })

  test('whose work does not leave hands the rest over at once', async () => {
    const first = one()
      .simba.group('g', { partitions: 3 })
      .runWhileLeader((term, partition) => (partition === 1 ? new Promise(() => {}) : untilAborted(term)))
    await world.settle()
    const second = start(two(), 3)
    await world.settle()
    const stopped = first.stop()
    await world.settle()
    expect(led(second)).toEqual([0, 2])
    await world.until(stopped, LEASE_MS)
    await world.settle()
    expect(led(second)).toEqual([0, 1, 2])
  })
})

describe('a node with another number of partitions', () => {
  test('waits, with an event and an error that name both numbers, and runs nothing', async () => {
    const first = start(one(), 4)
    await world.settle()
    const second = start(two(), 8)
    await world.pass(RENEW_MS - 1)
    expect(two().of('group.mismatched')).toMatchObject([
      { type: 'group.mismatched', group: 'g', partitions: 8, living: 4, error: { code: 'PARTITIONS_MISMATCH' } },
    ])
    expect(two().log.of('error')).toMatchObject([
      {
        message: "The members of 'g' have 4 partitions, and this client has 8. It waits for them to go.",
        details: { group: 'g', partitions: 8, living: 4 },
      },
    ])
    expect([first.partitions(), second.partitions()]).toEqual([[0, 1, 2, 3], []])
    expect(two().of('term.started')).toEqual([])
  })

  test('tries again each renew interval, and runs when the others have gone', async () => {
    const first = start(one(), 4)
    await world.settle()
    const second = start(two(), 8)
    await world.pass(3 * RENEW_MS)
    expect(two().of('group.mismatched')).toHaveLength(4)
    await world.until(first.stop(), 0)
    await world.pass(RENEW_MS)
    expect(second.partitions()).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })

  test('can be stopped while it waits', async () => {
    start(one(), 4)
    await world.settle()
    const second = start(two(), 8)
    await world.pass(RENEW_MS / 2)
    await world.until(second.stop(), 0)
    await world.pass(LEASE_MS)
    expect(two().of('group.mismatched')).toHaveLength(1)
  })

  test('that was there first goes on while the others wait', async () => {
    const first = start(one(), 4)
    await world.settle()
    start(two(), 8)
    await world.pass(LEASE_MS)
    expect(one().of('term.ended')).toEqual([])
    expect(first.partitions()).toEqual([0, 1, 2, 3])
  })
})

describe('a partition whose work fails fatally', () => {
  test('rests here for one lease duration, is run by another member meanwhile, and the rest runs on', async () => {
    const fail = held<number>()
    let failures = 0
    const first = one()
      .simba.group('g', { partitions: PARTITIONS })
      .runWhileLeader(async (term, partition) => {
        const failing = await Promise.race([fail.promise, untilAborted(term)])
        if (failing === partition && failures++ === 0) throw new FatalWorkError('no')
        await untilAborted(term)
      })
    const second = start(two())
    await world.pass(10)
    const [failing = -1, ...rest] = first.partitions()
    const terms = rest.map((partition) => first.term(partition))
    fail.resolve(failing)
    await world.pass(10)
    expect(one().of('election.stepped-down')).toMatchObject([{ lease: `g.${failing}`, restMs: LEASE_MS }])
    expect(second.term(failing)?.isValid).toBe(true)
    expect(first.partitions()).toEqual(rest)
    expect(rest.map((partition) => first.term(partition))).toEqual(terms)
    expect(owned([first, second])).toEqual(ALL)
    await world.pass(LEASE_MS + RENEW_MS)
    expect(first.term(failing)?.isValid).toBe(true)
    expect(second.partitions()).not.toContain(failing)
  })

  test('may be told to step down by hand: others run it meanwhile, and the rest runs on', async () => {
    const [first, second] = (await startAll(2)) as [GroupTask, GroupTask]
    const [leaving = -1, ...rest] = first.partitions()
    const terms = rest.map((partition) => first.term(partition))
    expect(first.actorOf(second.partitions()[0] ?? -1)).toBeUndefined()
    first.actorOf(leaving)?.send({ type: 'STEP_DOWN' })
    await world.pass(10)
    expect(one().of('election.stepped-down')).toMatchObject([{ lease: `g.${leaving}` }])
    expect(second.term(leaving)?.isValid).toBe(true)
    expect(rest.map((partition) => first.term(partition))).toEqual(terms)
  })

  test('of the only member rests, and is run again afterwards', async () => {
    let starts = 0
    const task = one()
      .simba.group('g', { partitions: 3 })
      .runWhileLeader((term, partition) => {
        if (partition !== 1) return untilAborted(term)
        starts += 1
        throw new FatalWorkError('no')
      })
    await world.pass(10)
    expect([starts, task.partitions()]).toEqual([1, [0, 2]])
    await world.pass(LEASE_MS - 20)
    expect(starts).toBe(1)
    await world.pass(RENEW_MS)
    expect(starts).toBe(2)
    expect(
      one()
        .of('term.started')
        .filter(({ partition }) => partition !== 1),
    ).toHaveLength(2)
  })

  test('is told as lost, and as gained when it comes back: events and partitions() agree at each moment', async () => {
    const fail = held()
    let isFailing = true
    const task = one()
      .simba.group('g', { partitions: 3 })
      .runWhileLeader((term, partition) => (partition === 1 && isFailing ? fail.promise : untilAborted(term)))
    const told: (readonly number[])[] = []
    one().simba.on('assignment.changed', ({ partitions }) => told.push(partitions))
    await world.pass(10)
    isFailing = false
    fail.reject(new FatalWorkError('no'))
    await world.pass(10)
    expect(told.at(-1)).toEqual([0, 2])
    expect(task.partitions()).toEqual([0, 2])
    await world.pass(LEASE_MS + RENEW_MS)
    expect(task.partitions()).toEqual([0, 1, 2])
    expect(
      one()
        .of('assignment.changed')
        .map(({ gained, lost }) => [gained, lost]),
    ).toEqual([
      [[0, 1, 2], []],
      [[], [1]],
      [[1], []],
    ])
  })

  test('may be stopped while it rests', async () => {
    const task = one()
      .simba.group('g', { partitions: 1 })
      .runWhileLeader(() => Promise.reject(new FatalWorkError('no')))
    await world.pass(RENEW_MS)
    await world.until(task.stop(), 0)
    await world.pass(2 * LEASE_MS)
    expect(one().of('term.started')).toHaveLength(1)
    await world.until(Promise.all(clients.map(({ simba }) => simba.stop())), 0)
    expect(world.time.timers).toBe(0)
  })
})

describe('bounded balance', () => {
  test('gives no node more than its share, and still moves little', async () => {
    const tasks: GroupTask[] = []
    for (const [index, client] of clients.entries()) {
      const before = tasks.map((task) => task.partitions())
      tasks.push(start(client, PARTITIONS, 'bounded'))
      await world.pass(10)
      const share = Math.ceil(PARTITIONS / (index + 1))
      for (const task of tasks) expect(task.partitions().length).toBeLessThanOrEqual(share)
      expect(owned(tasks)).toEqual(ALL)
      const moved = before.flatMap((partitions, at) => partitions.filter((p) => !tasks[at]?.partitions().includes(p)))
      expect(moved.length).toBeLessThanOrEqual(2 * share)
    }
    expect(tasks.map((task) => task.partitions().length)).toEqual([4, 4, 4])
  })
})

describe('while calls of the store fail', () => {
  test.each(['join', 'members'] as const)('%s is repeated, and the group runs in the end', async (method) => {
    one().road.trouble(method, refused, 3)
    const task = start(one(), 3)
    await world.pass(1_000)
    expect(task.partitions()).toEqual([0, 1, 2])
    expect(one().road.count(method)).toBe(4)
  })

  test('what this member runs, it goes on running when the members cannot be read', async () => {
    const [first] = (await startAll(1)) as [GroupTask]
    const terms = ALL.map((partition) => first.term(partition))
    one().road.trouble('members', refused)
    const second = start(two())
    await world.pass(RENEW_MS)
    expect(ALL.map((partition) => first.term(partition))).toEqual(terms)
    expect(led(second)).toEqual([])
    one().road.heal()
    await world.pass(RENEW_MS)
    expect(owned([first, second])).toEqual(ALL)
    expect([...led(first), ...led(second)].toSorted((a, b) => a - b)).toEqual(ALL)
  })

  test('a join whose answer is lost is repeated, and a stop meanwhile leaves nothing of it', async () => {
    one().road.trouble('join', answerLost)
    const task = start(one(), 3)
    await world.pass(500)
    await world.until(task.stop(), RENEW_MS)
    const other = start(two(), 5)
    await world.settle()
    expect(other.partitions()).toEqual([0, 1, 2, 3, 4])
  })

  test('a lost hint about the members costs no more than a renew interval', async () => {
    const [first] = (await startAll(1)) as [GroupTask]
    one().road.dropHints()
    const second = start(two())
    await world.pass(RENEW_MS)
    expect(owned([first, second])).toEqual(ALL)
    expect([...led(first), ...led(second)].toSorted((a, b) => a - b)).toEqual(ALL)
  })

  test('after the loss of its session a member joins again with the new one, and is given partitions', async () => {
    const [first, second] = (await startAll(2)) as [GroupTask, GroupTask]
    one().road.block(refused)
    await world.pass(LEASE_MS)
    expect([first.partitions(), led(second)]).toEqual([[], ALL])
    one().road.heal()
    await world.pass(2 * RENEW_MS)
    expect(owned([first, second])).toEqual(ALL)
    expect([...led(first), ...led(second)].toSorted((a, b) => a - b)).toEqual(ALL)
    expect(first.partitions().length).toBeGreaterThan(0)
  })
})

test('a STOP and a START at once give everything back and take it up again', async () => {
  const [first, second] = (await startAll(2)) as [GroupTask, GroupTask]
  one().simba.send({ type: 'STOP' })
  one().simba.send({ type: 'START' })
  await world.pass(100)
  expect(owned([first, second])).toEqual(ALL)
  expect([...led(first), ...led(second)].toSorted((a, b) => a - b)).toEqual(ALL)
})

test('two groups on one client know nothing of each other', async () => {
  const [g, h] = ['g', 'h'].map((name) => one().simba.group(name, { partitions: 2 }).runWhileLeader(untilAborted))
  await world.settle()
  await world.until(g?.stop() ?? Promise.resolve(), 0)
  await world.pass(LEASE_MS)
  expect([g?.partitions(), h?.partitions()]).toEqual([[], [0, 1]])
  expect(
    one()
      .of('term.ended')
      .map(({ lease }) => lease)
      .toSorted(),
  ).toEqual(['g.0', 'g.1'])
})
