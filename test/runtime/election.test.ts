/** Leader work on one lease: when it runs, under which term, what its end and its failures mean, and how a lease goes to the next node. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FatalWorkError, type Term, TermExpiredError } from '../../src/index.ts'
import { refused } from '../support/road.ts'
import { held, untilAborted } from '../support/work.ts'
import { type Client, LEASE_MS, RENEW_MS, VALID_MS, World } from '../support/world.ts'

let world: World

beforeEach(() => {
  world = new World()
})
afterEach(() => world.end())

/** Loses its session, and has a new one when the store can be reached again. */
async function loseSession(client: Client): Promise<void> {
  client.road.block(refused)
  await world.pass(LEASE_MS)
  client.road.heal()
  await world.pass(RENEW_MS)
}

describe('work', () => {
  test('that was declared before START begins with START, and work declared afterwards at once', async () => {
    const { simba } = world.idleClient()
    const early = simba.election('early').runWhileLeader(untilAborted)
    await world.pass(LEASE_MS)
    expect([early.term, early.actor]).toEqual([undefined, undefined])
    simba.send({ type: 'START' })
    const late = simba.election('late').runWhileLeader(untilAborted)
    await world.settle()
    expect([early.term?.isValid, late.term?.isValid]).toEqual([true, true])
    expect(early.actor?.getSnapshot().value).toEqual({ holding: 'leading' })
  })

  test('runs on one node of two, and on the other one only after the first', async () => {
    const [one, two] = [world.client(), world.client()]
    const runs: string[] = []
    const start = ({ simba }: Client) =>
      simba.election('ingest').runWhileLeader(async (term) => {
        runs.push(`${simba.node} in`)
        await untilAborted(term)
        runs.push(`${simba.node} out`)
      })
    const first = start(one)
    const second = start(two)
    await world.pass(5 * LEASE_MS)
    expect(runs).toEqual(['node-1 in'])
    expect([first.term?.isValid, second.term]).toEqual([true, undefined])
    await first.stop()
    await world.settle()
    expect(runs).toEqual(['node-1 in', 'node-1 out', 'node-2 in'])
  })

  test('gets its own term, and never sees a later one', async () => {
    const client = world.client()
    const terms: Term[] = []
    const task = client.simba.election('ingest').runWhileLeader(async (term) => {
      terms.push(term)
      await untilAborted(term)
    })
    await world.settle()
    expect(terms).toEqual([task.term])
    await loseSession(client)
    expect(terms).toHaveLength(2)
    const [first, second] = terms
    expect(second).toBe(task.term)
    expect(second?.token).toBeGreaterThan(first?.token ?? Number.NaN)
    expect([first?.isValid, first?.signal.aborted, second?.isValid]).toEqual([false, true, true])
  })

  test('that returns early keeps the term until it ends, and is not run again in it', async () => {
    const [one, two] = [world.client(), world.client()]
    let runs = 0
    const task = one.simba.election('ingest').runWhileLeader(() => {
      runs += 1
    })
    const other = two.simba.election('ingest').runWhileLeader(untilAborted)
    await world.pass(10 * LEASE_MS)
    expect([runs, task.term?.isValid, other.term]).toEqual([1, true, undefined])
    expect(one.of('work.completed')).toMatchObject([{ run: 1, outcome: 'COMPLETED' }])
    await loseSession(one)
    // The lease was free for a while.
    expect(other.term?.isValid).toBe(true)
    await other.stop()
    await world.settle()
    expect([runs, task.term?.isValid]).toEqual([2, true])
  })

  test.each([
    ['throws at once', () => { throw new Error('no') }], // biome-ignore format: one line each
    ['rejects later', async () => { await undefined; throw new Error('no') }], // biome-ignore format: one line each
  ])('that %s is logged and published as FAILED, and the term goes on without it', async (_, work) => {
    const client = world.client()
    const task = client.simba.election('ingest').runWhileLeader(work)
    await world.pass(3 * LEASE_MS)
    expect(task.term?.isValid).toBe(true)
    expect(client.of('work.completed')).toMatchObject([{ outcome: 'FAILED', error: { name: 'Error', message: 'no' } }])
    expect(client.of('term.started')).toHaveLength(1)
    expect(client.log.of('error')).toMatchObject([{ message: 'Leader work has failed.', details: { lease: 'ingest' } }])
  })

  test('that fails in one election leaves the others alone', async () => {
    const client = world.client()
    const good = client.simba.election('good').runWhileLeader(untilAborted)
    const bad = client.simba.election('bad').runWhileLeader(() => Promise.reject(new FatalWorkError('no')))
    await world.pass(3 * LEASE_MS)
    expect([good.term?.isValid, good.term?.signal.aborted]).toEqual([true, false])
    await world.until(bad.stop(), 0)
    expect(client.of('term.started').filter(({ lease }) => lease === 'good')).toHaveLength(1)
  })

  test('that fails after its term was ended is CANCELLED, which is no error', async () => {
    const client = world.client()
    const task = client.simba.election('ingest').runWhileLeader(async (term) => {
      await untilAborted(term)
      term.ensureValid()
    })
    await world.settle()
    await world.until(task.stop(), 0)
    expect(client.of('work.completed')).toMatchObject([
      { outcome: 'CANCELLED', error: { name: 'TermExpiredError', code: 'TERM_EXPIRED' } },
    ])
    expect(client.log.of('error')).toEqual([])
  })

  test('that fails when its term is out of time is CANCELLED, though nobody has told it yet', async () => {
    const client = world.client()
    const blocked = held()
    client.simba.election('ingest').runWhileLeader(async (term) => {
      await blocked.promise
      term.ensureValid()
    })
    await world.settle()
    // The work is the first to go on after the block.
    world.time.setTimer(blocked.resolve, 1)
    await world.time.block(LEASE_MS)
    expect(client.of('work.completed')[0]).toMatchObject({ outcome: 'CANCELLED', error: { code: 'TERM_EXPIRED' } })
  })

  test('that never settles is ABANDONED at the deadline, with a warning, and its late end is noted', async () => {
    const client = world.client()
    const exit = held()
    const task = client.simba.election('ingest').runWhileLeader(() => exit.promise)
    await world.settle()
    expect(await world.until(task.stop(), LEASE_MS)).toBe(VALID_MS)
    expect(client.of('work.completed')).toMatchObject([{ outcome: 'ABANDONED', durationMs: VALID_MS }])
    expect(client.log.of('warn').map(({ message }) => message)).toEqual([
      'Leader work has ignored the interrupt until its term was out of time. It may still be running.',
    ])
    exit.reject(new Error('at last'))
    await world.settle()
    expect(client.of('work.completed')).toHaveLength(1)
    expect(client.log.of('info').map(({ message }) => message)).toContain('Abandoned leader work has exited at last.')
  })
})

describe('a handover', () => {
  test('interrupts the work, awaits its exit, and releases the lease: the next node leads right afterwards', async () => {
    const [one, two] = [world.client(), world.client()]
    const story: string[] = []
    for (const { simba } of [one, two])
      simba.on('*', ({ type }) => {
        if (/^(term|work|handover)\./.test(type)) story.push(`${simba.node} ${type}`)
      })
    const exit = held()
    const task = one.simba.election('ingest').runWhileLeader(async (term) => {
      await untilAborted(term)
      story.push('interrupted')
      await exit.promise
      story.push('exited')
    })
    await world.settle()
    two.simba.election('ingest').runWhileLeader(untilAborted)
    await world.pass(100)
    story.length = 0

    const stopped = task.stop()
    await world.pass(2 * RENEW_MS)
    expect(story).toEqual(['node-1 term.revoked', 'node-1 handover.started', 'interrupted'])
    exit.resolve()
    await world.until(stopped, 0)
    await world.settle()
    // The store may tell the one that waits before it answers the one that has released.
    const steps = story.slice(3).filter((step) => step !== 'node-1 handover.completed')
    expect(steps).toEqual([
      'exited',
      'node-1 work.completed',
      'node-1 term.ended',
      'node-2 term.started',
      'node-2 work.started',
    ])
    expect(one.of('handover.completed')).toMatchObject([{ confirmed: true, workMs: 2 * RENEW_MS, releaseMs: 0 }])
  })

  test('has the time that the term had left when it was revoked: renewals go on, and add nothing', async () => {
    const client = world.client()
    const terms: Term[] = []
    const task = client.simba.election('ingest').runWhileLeader((term) => {
      terms.push(term)
      return new Promise(() => {})
    })
    await world.pass(1_000)
    const stopped = task.stop()
    expect(terms[0]?.remainingMs).toBe(VALID_MS - 1_000)
    const renewals = client.road.count('renew')
    expect(await world.until(stopped, LEASE_MS)).toBe(VALID_MS - 1_000)
    expect(client.road.count('renew')).toBeGreaterThan(renewals)
  })

  test('to a step down leaves the lease to another node for one lease duration, and then contends again', async () => {
    const [one, two] = [world.client(), world.client()]
    const task = one.simba.election('ingest').runWhileLeader(untilAborted)
    await world.settle()
    const other = two.simba.election('ingest').runWhileLeader(untilAborted)
    await world.settle()
    task.actor?.send({ type: 'STEP_DOWN' })
    await world.settle()
    expect(one.of('election.stepped-down')).toEqual([
      { type: 'election.stepped-down', lease: 'ingest', restMs: LEASE_MS },
    ])
    expect(one.of('term.ended')).toMatchObject([{ reason: 'stepped-down' }])
    expect(other.term?.isValid).toBe(true)
    await world.until(other.stop(), 0)
    await world.pass(LEASE_MS - 1)
    expect(task.term).toBeUndefined()
    await world.pass(1)
    expect(task.term?.isValid).toBe(true)
  })
})

describe('fatal work', () => {
  test('ends its term, steps down for one lease duration, and runs again afterwards', async () => {
    const client = world.client()
    let runs = 0
    const task = client.simba.election('ingest').runWhileLeader(() => {
      runs += 1
      throw new FatalWorkError('the disk is full')
    })
    await world.settle()
    expect(client.of('work.completed')).toMatchObject([
      { outcome: 'FAILED', error: { name: 'FatalWorkError', code: 'FATAL_WORK', message: 'the disk is full' } },
    ])
    expect(client.of('term.ended')).toMatchObject([{ reason: 'fatal-work' }])
    expect(client.of('handover.completed')).toMatchObject([{ confirmed: true, workMs: 0 }])
    expect([task.term, await client.simba.election('ingest').leader()]).toEqual([undefined, null])
    await world.pass(LEASE_MS - 1)
    expect(runs).toBe(1)
    await world.pass(1)
    expect(runs).toBe(2)
  })

  test('leaves the lease to another node', async () => {
    const [one, two] = [world.client(), world.client()]
    const fail = held()
    one.simba.election('ingest').runWhileLeader(() => fail.promise)
    await world.settle()
    const other = two.simba.election('ingest').runWhileLeader(untilAborted)
    await world.settle()
    fail.reject(new FatalWorkError('no'))
    await world.settle()
    expect(other.term?.isValid).toBe(true)
    await world.pass(5 * LEASE_MS)
    expect(one.of('term.started')).toHaveLength(1)
  })

  test('is what the option isFatal accepts, and nothing else', async () => {
    const seen: unknown[] = []
    const isFatal = (error: unknown) => {
      seen.push(error)
      return (error as Error).message === 'bad disk'
    }
    const client = world.client({ isFatal })
    client.simba.election('a').runWhileLeader(() => Promise.reject(new FatalWorkError('no')))
    client.simba.election('b').runWhileLeader(() => Promise.reject(new Error('bad disk')))
    await world.settle()
    expect(client.of('election.stepped-down').map(({ lease }) => lease)).toEqual(['b'])
    expect(seen).toMatchObject([{ code: 'FATAL_WORK' }, { message: 'bad disk' }])
  })

  test('is not decided by an isFatal that throws: that is logged, and the failure is one like any other', async () => {
    const isFatal = () => {
      throw new Error('no idea')
    }
    const client = world.client({ isFatal })
    const task = client.simba.election('ingest').runWhileLeader(() => Promise.reject(new Error('no')))
    await world.pass(LEASE_MS)
    expect(client.of('work.completed')).toMatchObject([{ outcome: 'FAILED', error: { message: 'no' } }])
    expect(task.term?.isValid).toBe(true)
    expect(
      client.log
        .of('error')
        .map(({ message }) => message)
        .toSorted(),
    ).toEqual([
      'Leader work has failed.',
      'The option isFatal has thrown; the failure counts as one that is not fatal.',
    ])
    await world.until(task.stop(), 0)
  })

  test('in a term that is out of time steps nobody down, though nobody has told it yet', async () => {
    const client = world.client()
    const blocked = held()
    const task = client.simba.election('ingest').runWhileLeader(async (term) => {
      if (client.of('work.started').length > 1) return untilAborted(term)
      await blocked.promise
      throw new FatalWorkError('much too late')
    })
    await world.settle()
    world.time.setTimer(blocked.resolve, 1)
    await world.time.block(LEASE_MS)
    await world.pass(100)
    expect(client.of('election.stepped-down')).toEqual([])
    expect(task.term?.isValid).toBe(true)
  })

  test('after the end of its term steps nobody down', async () => {
    const client = world.client()
    const task = client.simba.election('ingest').runWhileLeader(async (term) => {
      await untilAborted(term)
      throw new FatalWorkError('on the way out')
    })
    await world.settle()
    await world.until(task.stop(), 0)
    expect(client.of('election.stepped-down')).toEqual([])
    expect(client.of('work.completed')).toMatchObject([{ outcome: 'CANCELLED' }])
  })
})

describe('a term', () => {
  test('is told of the loss of its session once: signal, promise and event have the same reason', async () => {
    const client = world.client()
    const terms: Term[] = []
    client.simba.election('ingest').runWhileLeader((term) => {
      terms.push(term)
      return untilAborted(term)
    })
    await world.settle()
    const [term] = terms
    client.road.block(refused)
    await world.pass(VALID_MS - 1)
    expect([term?.isValid, term?.signal.aborted]).toEqual([true, false])
    await world.pass(1)
    expect([term?.isValid, term?.signal.aborted]).toEqual([false, true])
    expect(await term?.revoked).toBe(term?.signal.reason)
    expect(term?.signal.reason).toBeInstanceOf(TermExpiredError)
    expect(term?.signal.reason).toMatchObject({ reason: 'expired' })
    expect(client.of('term.revoked')).toMatchObject([{ reason: 'expired', remainingMs: 0 }])
    expect(client.of('term.ended')).toMatchObject([{ reason: 'expired' }])
  })

  test('turns invalid with the clock, while the event loop was blocked and nobody could be told', async () => {
    const client = world.client()
    const task = client.simba.election('ingest').runWhileLeader(untilAborted)
    await world.settle()
    const { term } = task
    const seen: unknown[] = []
    // The work is the first to run after the block.
    world.time.setTimer(() => seen.push(term?.isValid, term?.signal.aborted), 1)
    await world.time.block(LEASE_MS)
    expect(seen).toEqual([false, false])
    await world.pass(1)
    expect(term?.signal.aborted).toBe(true)
  })

  test('is over after a sleep of the machine that was longer than the lease, and the node leads anew', async () => {
    const client = world.client()
    const task = client.simba.election('ingest').runWhileLeader(untilAborted)
    await world.settle()
    const { term } = task
    world.time.suspend(LEASE_MS)
    expect(term?.isValid).toBe(false)
    await world.pass(2_000)
    expect([term?.signal.aborted, task.term?.isValid]).toEqual([true, true])
    expect(task.term?.token).toBeGreaterThan(term?.token ?? Number.NaN)
    expect(client.log.of('warn').map(({ message }) => message)).toContain(
      'The clock has jumped forward: the machine slept, or its wall clock was set. The time counts as passed.',
    )
  })

  test('does not mind a wall clock that is set back by an hour', async () => {
    const client = world.client()
    const task = client.simba.election('ingest').runWhileLeader(untilAborted)
    await world.settle()
    const { term } = task
    world.time.stepWall(-3_600_000)
    await world.pass(5 * LEASE_MS)
    expect(task.term).toBe(term)
    expect(term?.isValid).toBe(true)
  })

  test('of one election says nothing about another one’s: each has its own lease and token', async () => {
    const client = world.client()
    const [a, b] = ['a', 'b'].map((name) => client.simba.election(name).runWhileLeader(untilAborted))
    await world.settle()
    expect(a?.term?.token).not.toBe(b?.term?.token)
    await world.until(a?.stop() ?? Promise.resolve(), 0)
    expect([a?.term, b?.term?.isValid]).toEqual([undefined, true])
  })
})

test('two namespaces on one store have nothing in common', async () => {
  const one = world.client({ namespace: 'one' })
  const two = world.client({ namespace: 'two' })
  const tasks = [one, two].map(({ simba }) => simba.election('ingest').runWhileLeader(untilAborted))
  await world.settle()
  expect(tasks.map(({ term }) => term?.isValid)).toEqual([true, true])
})

test('two hundred elections cost one command per renew interval, led or waited for', async () => {
  const [one, two] = [world.client(), world.client()]
  for (const { simba } of [one, two]) {
    for (let count = 0; count < 200; count++) simba.election(`e-${count}`).runWhileLeader(() => {})
    // So many commands take several turns of the event loop.
    await world.pass(RENEW_MS / 2)
  }
  const before = [one, two].map(({ road }) => road.calls.length)
  await world.pass(10 * RENEW_MS)
  const sent = [one, two].map(({ road }, index) => road.calls.slice(before[index]).map(({ method }) => method))
  for (const methods of sent) expect(methods).toEqual(Array.from({ length: 10 }, () => 'renew'))
})
