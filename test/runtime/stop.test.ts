/** A stop is complete, whenever and from wherever it comes: what was asked for ends, and nothing is left of it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fixedRate, type Simba, type Task } from '../../src/index.ts'
import { answerLost, hanging, notSent, refused } from '../support/road.ts'
import { held, untilAborted } from '../support/work.ts'
import { type Client, LEASE_MS, MARGIN_MS, RENEW_MS, VALID_MS, World } from '../support/world.ts'

let world: World
let client: Client

beforeEach(() => {
  world = new World()
  client = world.client()
})
afterEach(() => world.end())

const start = () => client.simba.election('ingest').runWhileLeader(untilAborted)

/** What the store knows of the lease: nobody has it, and nobody stands in line who would be offered it. */
async function leaseIsFree(lease = 'ingest'): Promise<boolean> {
  const [one, two] = [await world.stranger(), await world.stranger()]
  const first = await one.campaign(lease, 1)
  await two.campaign(lease, 1)
  await one.close()
  const { freed } = ((await two.renew({ settled: 0, epoch: 1 })) as { inbox: { freed: readonly string[] } }).inbox
  await two.close()
  return first.kind === 'granted' && freed.includes(lease)
}

/** After the stop of a client: no timer waits, no actor lives, and the store knows of nobody. */
async function expectNothingLeft({ simba }: { simba: Simba } = client): Promise<void> {
  expect(world.time.timers).toBe(0)
  expect(simba.getSnapshot().value).toBe('stopped')
  expect(simba.getSnapshot().children).toEqual({})
  expect(await world.storeIsEmpty()).toBe(true)
}

interface Phase {
  readonly name: string
  /** Brings the election into the phase. */
  readonly reach: () => Promise<Task>
  /** Lets go on what holds the phase up. */
  readonly goOn?: () => void
  /** The lease has another holder, or nobody is granted anything for a while. */
  readonly isTaken?: boolean
}

let exit = held()
const PHASES: readonly Phase[] = [
  {
    name: 'before there is a session',
    async reach() {
      await world.until(client.simba.stop(), LEASE_MS)
      client.road.trouble('open', refused)
      client.simba.send({ type: 'START' })
      const task = start()
      await world.pass(500)
      return task
    },
  },
  {
    name: 'during a campaign that will be granted',
    async reach() {
      client.road.trouble('campaign', client.road.slowAnswer(800), 1)
      return start()
    },
  },
  {
    name: 'during a campaign whose request is still under way',
    async reach() {
      client.road.trouble('campaign', client.road.slowRequest(800), 1)
      return start()
    },
  },
  {
    name: 'during a campaign that will be told that somebody else leads',
    isTaken: true,
    async reach() {
      const stranger = await world.stranger()
      await stranger.campaign('ingest', 1)
      client.road.trouble('campaign', client.road.slowAnswer(800), 1)
      return start()
    },
  },
  {
    name: 'during a campaign that nobody answers',
    async reach() {
      client.road.trouble('campaign', hanging, 1)
      return start()
    },
  },
  {
    name: 'after a campaign whose answer was lost',
    async reach() {
      client.road.trouble('campaign', answerLost)
      const task = start()
      await world.pass(200)
      return task
    },
  },
  {
    name: 'in line',
    isTaken: true,
    async reach() {
      const stranger = await world.stranger()
      await stranger.campaign('ingest', 1)
      const task = start()
      await world.pass(1_000)
      return task
    },
  },
  {
    name: 'in a quarantine',
    isTaken: true,
    async reach() {
      world.backend.restart({ data: 'kept' })
      const task = start()
      await world.pass(1_000)
      expect(task.term).toBeUndefined()
      return task
    },
  },
  {
    name: 'while it leads',
    async reach() {
      const task = start()
      await world.pass(RENEW_MS)
      return task
    },
  },
  {
    name: 'while it leads and its work is done',
    async reach() {
      const task = client.simba.election('ingest').runWhileLeader(() => {})
      await world.pass(RENEW_MS)
      return task
    },
  },
  {
    name: 'while its work is still leaving after a step down',
    async reach() {
      const task = client.simba.election('ingest').runWhileLeader(() => exit.promise)
      await world.settle()
      task.actor?.send({ type: 'STEP_DOWN' })
      await world.settle()
      return task
    },
    goOn: () => exit.resolve(),
  },
  {
    name: 'while its lease is being released after a step down',
    async reach() {
      client.road.trouble('release', client.road.slowAnswer(500), 1)
      const task = start()
      await world.settle()
      task.actor?.send({ type: 'STEP_DOWN' })
      await world.settle()
      return task
    },
  },
  {
    name: 'while a release is repeated',
    async reach() {
      client.road.trouble('release', answerLost, 3)
      const task = start()
      await world.settle()
      task.actor?.send({ type: 'STEP_DOWN' })
      await world.settle()
      return task
    },
  },
  {
    name: 'in a rest',
    async reach() {
      const task = start()
      await world.settle()
      task.actor?.send({ type: 'STEP_DOWN' })
      await world.pass(RENEW_MS)
      return task
    },
  },
  {
    name: 'between two runs of a schedule',
    async reach() {
      const task = client.simba.election('ingest').schedule(fixedRate('1h'), () => {})
      await world.pass(RENEW_MS)
      return task
    },
  },
  {
    name: 'before the first run of a schedule',
    async reach() {
      const schedule = fixedRate('1h', { initialDelay: '1h' })
      const task = client.simba.election('ingest').schedule(schedule, () => {})
      await world.pass(RENEW_MS)
      return task
    },
  },
  {
    name: 'during a run of a schedule',
    async reach() {
      const task = client.simba.election('ingest').schedule(fixedRate('1s'), untilAborted)
      await world.pass(RENEW_MS)
      return task
    },
  },
]

describe.each(PHASES)('$name', ({ reach, goOn = () => {}, isTaken = false }) => {
  beforeEach(() => {
    exit = held()
  })

  test('a stop of the task gives everything back, and starts nothing afterwards', async () => {
    const task = await reach()
    const terms = client.of('term.started').length
    const stopped = task.stop()
    await world.settle()
    goOn()
    await world.until(stopped, 2 * RENEW_MS)
    if (!isTaken) expect(await leaseIsFree()).toBe(true)
    client.road.heal()
    await world.pass(3 * LEASE_MS)
    expect(client.of('term.started')).toHaveLength(terms)
    expect(client.of('term.ended')).toHaveLength(terms)
    expect(await leaseIsFree()).toBe(true)
    expect(task.term).toBeUndefined()
    expect(client.log.of('error')).toEqual([])
    // The name is free.
    const again = start()
    await world.pass(LEASE_MS)
    expect(again.term?.isValid).toBe(true)
  })

  test('two stops and a stop of the client resolve together, and nothing is left', async () => {
    const task = await reach()
    const stops = [task.stop(), task.close(), client.simba.stop(), client.simba.stop()]
    await world.settle()
    goOn()
    await world.until(Promise.all(stops), 2 * RENEW_MS)
    // Strangers that hold the lease end by themselves.
    await world.pass(2 * LEASE_MS)
    await expectNothingLeft()
    expect(client.log.of('error')).toEqual([])
  })

  test('a STOP and a START at once end what is under way, and begin it anew', async () => {
    const task = await reach()
    const terms = client.of('term.started').length
    client.simba.send({ type: 'STOP' })
    client.simba.send({ type: 'START' })
    await world.settle()
    goOn()
    client.road.heal()
    await world.pass(4 * LEASE_MS)
    expect(client.of('term.started')).toHaveLength(terms + 1)
    expect(client.of('term.ended')).toHaveLength(terms)
    expect(task.term?.isValid).toBe(true)
    const closed = client.of('session.closed').filter(({ session }) => session !== null)
    expect(client.of('session.opened')).toHaveLength(closed.length + 1)
    expect(client.log.of('error')).toEqual([])
  })

  test('a stop of the task during a STOP of the client keeps it from coming back with START', async () => {
    const task = await reach()
    client.simba.send({ type: 'STOP' })
    const stopped = task.stop()
    client.simba.send({ type: 'START' })
    await world.settle()
    goOn()
    client.road.heal()
    await world.until(stopped, 2 * RENEW_MS)
    const terms = client.of('term.started').length
    await world.pass(4 * LEASE_MS)
    expect(client.of('term.started')).toHaveLength(terms)
    expect(task.term).toBeUndefined()
    start()
  })
})

describe('a stop', () => {
  test('does not resolve before the work has exited and the store has confirmed the release', async () => {
    const task = client.simba.election('ingest').runWhileLeader(async (term) => {
      await untilAborted(term)
      await world.sleep(400)
    })
    await world.settle()
    client.road.trouble('release', client.road.slowAnswer(200))
    expect(await world.until(task.stop(), LEASE_MS)).toBe(600)
  })

  test('repeats a release until it is confirmed', async () => {
    const task = start()
    await world.settle()
    client.road.trouble('release', refused, 3)
    await world.until(task.stop(), RENEW_MS)
    expect(client.road.count('release')).toBe(4)
    expect(client.of('handover.completed')).toMatchObject([{ confirmed: true }])
    expect(await leaseIsFree()).toBe(true)
  })

  test('whose release was answered by nobody, but was obeyed, finds that the lease is not held any more', async () => {
    const task = start()
    await world.settle()
    client.road.trouble('release', answerLost, 1)
    await world.until(task.stop(), RENEW_MS)
    expect(await leaseIsFree()).toBe(true)
  })

  test('of one task leaves the others and the session alone', async () => {
    const other = client.simba.election('other').runWhileLeader(untilAborted)
    const task = start()
    await world.settle()
    await world.until(task.stop(), 0)
    await world.pass(3 * LEASE_MS)
    expect(other.term?.isValid).toBe(true)
    expect(client.of('session.opened')).toHaveLength(1)
  })

  test('of many tasks lets them end side by side', async () => {
    const tasks = Array.from({ length: 50 }, (_, index) =>
      client.simba.election(`e-${index}`).runWhileLeader(async (term) => {
        await untilAborted(term)
        await world.sleep(100)
      }),
    )
    await world.settle()
    expect(await world.until(Promise.all(tasks.map((task) => task.stop())), LEASE_MS)).toBe(100)
  })

  test('is given at the end of the block with await using, for a task and for a client', async () => {
    const order: string[] = []
    {
      await using simba = world.client().simba
      await using task = simba.election('ingest').runWhileLeader(async (term) => {
        await untilAborted(term)
        order.push('exited')
      })
      await world.settle()
      expect(task.term?.isValid).toBe(true)
      simba.on('session.closed', () => order.push('closed'))
    }
    expect(order).toEqual(['exited', 'closed'])
    expect(await leaseIsFree()).toBe(true)
  })
})

describe('a stop from inside the work', () => {
  test.each(['stop', 'close'] as const)('resolves when the interrupt is given, by %s', async (how) => {
    const order: string[] = []
    const task = client.simba.election('ingest').runWhileLeader(async (term) => {
      await world.sleep(100)
      await task[how]()
      order.push(`told: ${term.signal.aborted}`)
    })
    const ended = world.pass(1_000).then(() => order.push('a second later'))
    await ended
    expect(order).toEqual(['told: true', 'a second later'])
    expect(client.of('work.completed')).toMatchObject([{ outcome: 'COMPLETED', durationMs: 100 }])
    expect(client.of('handover.completed')).toMatchObject([{ confirmed: true, workMs: 0 }])
    expect(await leaseIsFree()).toBe(true)
  })

  test('that is called from a function deep in it, after many awaits, is known as such, too', async () => {
    const deep = async (depth: number): Promise<void> => {
      await world.sleep(1)
      if (depth > 0) await deep(depth - 1)
      else await Promise.all([task.stop(), task.stop()])
    }
    const task = client.simba.election('ingest').runWhileLeader(() => deep(10))
    await world.pass(1_000)
    expect(client.of('work.completed')).toMatchObject([{ outcome: 'COMPLETED', durationMs: 11 }])
  })

  test('of a schedule ends the loop after this run', async () => {
    let runs = 0
    const task = client.simba.election('ingest').schedule(fixedRate('1s'), async () => {
      runs += 1
      if (runs === 3) await task.stop()
    })
    await world.pass(LEASE_MS)
    expect(runs).toBe(3)
    expect(await leaseIsFree()).toBe(true)
  })

  test('of a partition stops the whole group, and resolves there when the interrupt is given', async () => {
    const order: string[] = []
    const task = client.simba.group('g', { partitions: 3 }).runWhileLeader(async (term, partition) => {
      if (partition !== 1) return untilAborted(term)
      await world.sleep(100)
      client.road.trouble('leave', client.road.slowAnswer(50))
      await task.stop()
      order.push(`told: ${term.signal.aborted}`)
    })
    await world.pass(1_000)
    expect(order).toEqual(['told: true'])
    expect(client.of('term.ended')).toHaveLength(3)
  })

  test('of the client, by send and by stop, ends everything', async () => {
    const order: string[] = []
    const other = client.simba.election('other').runWhileLeader(untilAborted)
    client.simba.election('ingest').runWhileLeader(async (term) => {
      await world.sleep(100)
      client.simba.send({ type: 'STOP' })
      await client.simba.stop()
      order.push(`told: ${term.signal.aborted}`)
    })
    await world.pass(1_000)
    expect(order).toEqual(['told: true'])
    expect(other.term).toBeUndefined()
    await expectNothingLeft()
  })

  test('of another task is complete: it is not inside that one', async () => {
    const order: string[] = []
    const other = client.simba.election('other').runWhileLeader(async (term) => {
      await untilAborted(term)
      await world.sleep(100)
      order.push('the other has exited')
    })
    client.simba.election('ingest').runWhileLeader(async () => {
      await other.stop()
      order.push('stopped')
    })
    await world.pass(1_000)
    expect(order).toEqual(['the other has exited', 'stopped'])
  })

  test('of a namesake on another client is complete: it is not inside that one', async () => {
    const order: string[] = []
    const other = world.client({ namespace: 'other' })
    const namesake = other.simba.election('ingest').runWhileLeader(async (term) => {
      await untilAborted(term)
      await world.sleep(100)
      order.push('the namesake has exited')
    })
    await world.settle()
    client.simba.election('ingest').runWhileLeader(async () => {
      await namesake.stop()
      order.push('stopped')
      await other.simba.stop()
      order.push('its client stopped')
    })
    await world.pass(1_000)
    expect(order).toEqual(['the namesake has exited', 'stopped', 'its client stopped'])
  })

  test('that has settled is complete: what it left running is not inside any more', async () => {
    const order: string[] = []
    const task = client.simba.election('ingest').runWhileLeader(() => {
      void world
        .sleep(100)
        .then(() => task.stop())
        .then(() => order.push('stopped'))
    })
    await world.settle()
    client.road.trouble('release', client.road.slowAnswer(500))
    await world.pass(550)
    expect(order).toEqual([])
    await world.pass(50)
    expect(order).toEqual(['stopped'])
  })
})

describe('a stop from a listener', () => {
  test.each(['term.started', 'work.started', 'session.opened'] as const)('of %s is complete', async (type) => {
    const fresh = world.idleClient()
    const order: string[] = []
    const task = fresh.simba.election('ingest').runWhileLeader(async (term) => {
      await untilAborted(term)
      order.push('exited')
    })
    fresh.simba.on(type, async () => {
      await task.stop()
      order.push('stopped')
    })
    fresh.simba.send({ type: 'START' })
    await world.pass(1_000)
    expect(order.at(-1)).toBe('stopped')
    expect(fresh.of('term.started').length).toBe(fresh.of('term.ended').length)
    expect(fresh.of('work.started').length).toBe(fresh.of('work.completed').length)
    expect(await leaseIsFree()).toBe(true)
  })

  test.each(['term.revoked', 'work.completed', 'handover.completed', 'session.closed'] as const)(
    'of %s while a stop is under way resolves with it',
    async (type) => {
      const order: string[] = []
      const task = start()
      client.simba.on(type, async () => {
        await Promise.all([task.stop(), client.simba.stop()])
        order.push('stopped')
      })
      await world.settle()
      await world.until(client.simba.stop(), LEASE_MS)
      await world.settle()
      expect(order).toEqual(['stopped'])
    },
  )

  test('of the abort signal is known, and the work ends', async () => {
    const task = client.simba.election('ingest').runWhileLeader(async (term) => {
      term.signal.addEventListener('abort', () => void task.stop())
      await untilAborted(term)
    })
    await world.settle()
    task.actor?.send({ type: 'STEP_DOWN' })
    await world.pass(100)
    expect(client.of('election.stepped-down')).toEqual([])
    expect(await leaseIsFree()).toBe(true)
  })
})

describe('while the store is unreachable', () => {
  test.each([
    ['refuses', refused],
    ['never answers', hanging],
    ['answers to nobody', answerLost],
  ])(
    '(it %s) a stop of the task resolves within what the lease has left, and the work is told at once',
    async (_, fault) => {
      const task = start()
      await world.settle()
      client.road.block(fault)
      await world.pass(1_000)
      const stopped = task.stop()
      await world.settle()
      expect(client.of('work.completed')).toMatchObject([{ outcome: 'COMPLETED' }])
      expect(await world.until(stopped, LEASE_MS)).toBeLessThanOrEqual(VALID_MS - 1_000)
      if (fault !== answerLost) expect(client.of('handover.completed')).toMatchObject([{ confirmed: false }])
    },
  )

  test.each([
    ['refuses', refused],
    ['never answers', hanging],
  ])('(it %s) a stop of the client ends when the store has forgotten it all, and nothing is left', async (_, fault) => {
    start()
    client.simba.group('g', { partitions: 3 }).runWhileLeader(untilAborted)
    await world.pass(RENEW_MS)
    client.road.block(fault)
    const stoppedMs = await world.until(client.simba.stop(), 4 * LEASE_MS)
    // What the lease has left, then as long as the store may keep what it was told last, and the last calls.
    expect(stoppedMs).toBeLessThanOrEqual(VALID_MS + LEASE_MS + MARGIN_MS + 3 * RENEW_MS)
    client.road.heal()
    await expectNothingLeft()
  })

  test('a client that stops and lets go of its connection does not say that the store answers again', async () => {
    start()
    await world.pass(RENEW_MS)
    client.road.block(hanging)
    client.road.trouble('disconnect', (deliver) => deliver())
    await world.until(client.simba.stop(), 4 * LEASE_MS)
    expect(client.of('backend.failing')).toHaveLength(1)
    expect(client.of('backend.recovered')).toEqual([])
  })

  test('a client that never had a session stops soon', async () => {
    const fresh = world.idleClient()
    fresh.road.block(refused)
    fresh.simba.send({ type: 'START' })
    fresh.simba.election('other').runWhileLeader(untilAborted)
    await world.pass(1_000)
    await world.until(fresh.simba.stop(), LEASE_MS + MARGIN_MS + RENEW_MS)
    expect(fresh.simba.getSnapshot().value).toBe('stopped')
  })

  test('a client whose backend knows that nothing was sent stops at once: there is no session to run out', async () => {
    const fresh = world.idleClient()
    fresh.road.block(notSent)
    fresh.simba.send({ type: 'START' })
    fresh.simba.election('other').runWhileLeader(untilAborted)
    await world.pass(1_000)
    expect(fresh.road.count('open')).toBeGreaterThan(2)
    expect(await world.until(fresh.simba.stop(), LEASE_MS)).toBe(0)
    fresh.road.heal()
    await world.until(client.simba.stop(), 0)
    await expectNothingLeft(fresh)
  })

  test('a stop during the opening of the session closes the one that comes afterwards', async () => {
    const fresh = world.idleClient()
    fresh.road.trouble('open', fresh.road.slowAnswer(1_000), 1)
    fresh.simba.send({ type: 'START' })
    await world.pass(100)
    expect(await world.until(fresh.simba.stop(), LEASE_MS)).toBe(900)
    await world.until(client.simba.stop(), LEASE_MS)
    await expectNothingLeft(fresh)
    expect(fresh.of('session.opened')).toEqual([])
  })
})

describe('a client', () => {
  test('that was stopped runs the same tasks again with START, under greater tokens and a new session', async () => {
    const tasks = [start(), client.simba.election('two').schedule(fixedRate('1s'), () => {})]
    const group = client.simba.group('g', { partitions: 2 }).runWhileLeader(untilAborted)
    await world.settle()
    const before = tasks.map(({ term }) => term?.token ?? Number.NaN)
    await world.until(client.simba.stop(), 0)
    await expectNothingLeft()
    expect(tasks.map(({ term, actor }) => term ?? actor)).toEqual([undefined, undefined])
    expect(group.partitions()).toEqual([])

    await world.pass(LEASE_MS)
    client.simba.send({ type: 'START' })
    await world.settle()
    expect(tasks.every(({ term }, index) => Number(term?.token) > Number(before[index]))).toBe(true)
    expect(group.partitions()).toEqual([0, 1])
    const sessions = client.of('session.opened').map(({ session }) => session)
    expect(new Set(sessions).size).toBe(2)
  })

  test('that was stopped keeps what is declared meanwhile for the next START', async () => {
    await world.until(client.simba.stop(), 0)
    const task = start()
    await world.pass(LEASE_MS)
    expect(task.term).toBeUndefined()
    client.simba.send({ type: 'START' })
    await world.settle()
    expect(task.term?.isValid).toBe(true)
  })

  test('takes START twice, and STOP twice, as once', async () => {
    client.simba.send({ type: 'START' })
    const task = start()
    await world.settle()
    client.simba.send({ type: 'START' })
    await world.settle()
    expect(client.of('session.opened')).toHaveLength(1)
    expect(task.term?.isValid).toBe(true)
    client.simba.send({ type: 'STOP' })
    client.simba.send({ type: 'STOP' })
    await world.settle()
    expect(client.of('session.closed')).toHaveLength(1)
    await world.until(client.simba.stop(), 0)
    await expectNothingLeft()
  })

  test('goes by its last command: STOP, START and STOP at once is a stop', async () => {
    const exit = held()
    client.simba.election('ingest').runWhileLeader(() => exit.promise)
    await world.settle()
    for (const type of ['STOP', 'START', 'STOP'] as const) client.simba.send({ type })
    await world.pass(1_000)
    exit.resolve()
    await world.settle()
    await expectNothingLeft()
  })

  test('that is stopped before it was started is stopped at once', async () => {
    const fresh = world.idleClient()
    fresh.simba.election('ingest').runWhileLeader(untilAborted)
    await world.until(fresh.simba.stop(), 0)
    expect(fresh.simba.getSnapshot().value).toBe('stopped')
    expect(fresh.road.calls).toEqual([])
  })

  test('takes no new term while it stops, for what is declared meanwhile', async () => {
    const exit = held()
    client.simba.election('ingest').runWhileLeader(() => exit.promise)
    await world.settle()
    const stopped = client.simba.stop()
    const late = client.simba.election('late').runWhileLeader(untilAborted)
    const group = client.simba.group('g', { partitions: 2 }).runWhileLeader(untilAborted)
    await world.pass(RENEW_MS)
    exit.resolve()
    await world.until(stopped, 0)
    expect(client.of('term.started')).toHaveLength(1)
    await expectNothingLeft()
    client.simba.send({ type: 'START' })
    await world.settle()
    expect(late.term?.isValid).toBe(true)
    expect(group.partitions()).toEqual([0, 1])
  })

  test('goes on renewing until the last work has exited', async () => {
    client.simba.election('slow').runWhileLeader(async (term) => {
      await untilAborted(term)
      await world.sleep(VALID_MS - 1)
    })
    const other = world.client()
    await world.settle()
    const task = other.simba.election('slow').runWhileLeader(untilAborted)
    const stopped = client.simba.stop()
    await world.pass(VALID_MS - 2)
    expect(task.term).toBeUndefined()
    await world.until(stopped, LEASE_MS)
    await world.settle()
    expect(task.term?.isValid).toBe(true)
    expect(client.of('handover.completed')).toMatchObject([{ confirmed: true, workMs: VALID_MS - 1 }])
  })

  test('tells subscribers of its states', async () => {
    const states: string[] = []
    const fresh = world.idleClient()
    const subscription = fresh.simba.subscribe(({ value }) => states.push(JSON.stringify(value)))
    fresh.simba.send({ type: 'START' })
    await world.settle()
    await world.until(fresh.simba.stop(), LEASE_MS)
    subscription.unsubscribe()
    fresh.simba.send({ type: 'START' })
    await world.settle()
    expect([...new Set(states)]).toEqual([
      '{"active":"running"}',
      '{"active":{"stopping":{"order":"handingOver","wish":"end"}}}',
      '{"active":{"stopping":{"order":"closing","wish":"end"}}}',
      '"stopped"',
    ])
  })
})
