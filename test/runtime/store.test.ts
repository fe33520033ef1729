/** A store that fails, hangs, answers late, or whose hints get lost: what it costs, and what it never breaks. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Term } from '../../src/index.ts'
import { answerLost, type Fault, hanging, refused } from '../support/road.ts'
import { untilAborted } from '../support/work.ts'
import { type Client, LEASE_MS, RENEW_MS, VALID_MS, World } from '../support/world.ts'

let world: World
let client: Client
let startedAtMs: number

beforeEach(() => {
  world = new World()
  client = world.client()
  startedAtMs = world.time.monotonicMs()
})
afterEach(() => world.end())

const nowMs = () => world.time.monotonicMs() - startedAtMs
const start = ({ simba } = client) => simba.election('ingest').runWhileLeader(untilAborted)
const leader = () => client.simba.election('ingest').leader()
const unknown: Fault = async () => ({ kind: 'unknown' })
const stale: Fault = async () => ({ kind: 'stale' })

/** Notes when calls of this method set out from now on. */
function departures(method: 'open' | 'renew' | 'campaign' | 'release' | 'withdraw', fault: Fault): number[] {
  const at: number[] = []
  client.road.trouble(method, (deliver) => {
    at.push(nowMs())
    return fault(deliver)
  })
  return at
}

describe('a renewal', () => {
  test('sets out once per renew interval, and extends the term by all of the lease', async () => {
    const task = start()
    const at = departures('renew', (deliver) => deliver())
    await world.pass(10 * RENEW_MS)
    expect(at).toEqual(Array.from({ length: 10 }, (_, index) => (index + 1) * RENEW_MS))
    expect(task.term?.remainingMs).toBe(VALID_MS)
  })

  test('counts from before its request left, not from its answer', async () => {
    const task = start()
    client.road.trouble('renew', client.road.slowAnswer(2_000))
    await world.pass(RENEW_MS + 2_000)
    expect(task.term?.remainingMs).toBe(VALID_MS - 2_000)
  })

  test('counts from as long before as its answer proves an earlier contact only, and so does an opening', async () => {
    const ago =
      (ms: number): Fault =>
      async (deliver) => ({ ...((await deliver()) as object), provenMsAgo: ms })
    client = world.idleClient()
    client.road.trouble('open', ago(1_000))
    client.simba.send({ type: 'START' })
    const task = start()
    await world.settle()
    expect(task.term?.remainingMs).toBe(VALID_MS - 1_000)
    client.road.trouble('renew', ago(700))
    await world.pass(RENEW_MS)
    expect(task.term?.remainingMs).toBe(VALID_MS - 700)
    client.road.trouble('renew', refused)
    await world.pass(VALID_MS - 701)
    expect(client.of('session.lost')).toEqual([])
    await world.pass(1)
    expect(client.of('session.lost')).toMatchObject([{ reason: 'expired' }])
  })

  test('that fails is repeated after half of what remains, and at the end every 100 ms, until the deadline', async () => {
    start()
    await world.settle()
    const at = departures('renew', refused)
    await world.pass(VALID_MS - 1)
    const gaps = at.map((ms, index) => ms - (at[index - 1] ?? 0))
    expect(at[0]).toBe(RENEW_MS)
    for (const [index, gap] of gaps.entries()) {
      if (index > 0) expect(gap).toBeCloseTo(Math.max(100, (VALID_MS - (at[index - 1] ?? 0)) / 2), -1)
    }
    expect(at.length).toBeLessThan(12)
    expect(client.of('session.lost')).toEqual([])
    await world.pass(1)
    expect(client.of('session.lost')).toMatchObject([{ reason: 'expired' }])
  })

  test('that succeeds at the last moment keeps session and terms, and tells how it went', async () => {
    const task = start()
    await world.settle()
    const { term } = task
    client.road.trouble('renew', refused)
    await world.pass(VALID_MS - 150)
    client.road.heal()
    await world.pass(LEASE_MS)
    expect(task.term).toBe(term)
    expect(term?.isValid).toBe(true)
    expect(client.events.filter(({ type }) => /^(session|backend)\./.test(type))).toMatchObject([
      { type: 'session.opened' },
      { type: 'backend.failing', error: { message: 'ECONNREFUSED' } },
      { type: 'session.suspended', error: { message: 'ECONNREFUSED' }, remainingMs: VALID_MS - RENEW_MS },
      { type: 'backend.recovered', failedForMs: expect.any(Number) },
      { type: 'session.resumed' },
    ])
    const [recovered] = client.of('backend.recovered')
    expect(recovered?.failedForMs).toBeGreaterThan(VALID_MS - 150 - RENEW_MS)
    expect(client.log.of('warn')).toMatchObject([
      { message: 'The store fails. Terms go on until their deadline; calls are repeated.' },
    ])
  })

  test('that fails while other calls are answered, which only read, is no store that answers again', async () => {
    start()
    await world.settle()
    client.road.trouble('renew', refused)
    await world.pass(RENEW_MS)
    for (let reads = 0; reads < 5; reads++) {
      await client.simba.survey()
      await world.pass(100)
    }
    expect(client.of('backend.failing')).toHaveLength(1)
    expect(client.of('backend.recovered')).toEqual([])
    client.road.heal()
    await world.pass(RENEW_MS)
    expect(client.of('backend.recovered')).toHaveLength(1)
  })

  test('whose answer is under way when the client stops is no failure of the store', async () => {
    start()
    await world.settle()
    client.road.trouble('renew', () => new Promise(() => {}))
    await world.pass(RENEW_MS)
    await world.until(client.simba.stop(), LEASE_MS)
    expect(client.of('backend.failing')).toEqual([])
    expect(client.log.of('warn')).toEqual([])
  })

  test('that nobody answers is given up after a renew interval, and no second one is under way beside it', async () => {
    start()
    await world.settle()
    let underWay = 0
    let most = 0
    client.road.trouble('renew', () => {
      underWay += 1
      most = Math.max(most, underWay)
      void world.sleep(RENEW_MS).then(() => {
        underWay -= 1
      })
      return new Promise(() => {})
    })
    await world.pass(VALID_MS)
    expect(most).toBe(1)
    expect(client.of('session.suspended')).toMatchObject([
      { error: { code: 'BACKEND_UNAVAILABLE', message: "memory did not answer 'renew' within 3000 ms." } },
    ])
    expect(client.of('session.lost')).toMatchObject([{ reason: 'expired' }])
  })

  test('whose answer comes after the deadline revives nothing: the next term has a new session and a greater token', async () => {
    const task = start()
    await world.settle()
    const { term } = task
    client.road.trouble('renew', client.road.slowAnswer(VALID_MS))
    await world.pass(VALID_MS)
    expect(term?.isValid).toBe(false)
    client.road.heal()
    await world.pass(LEASE_MS)
    expect(term?.isValid).toBe(false)
    const [first, second] = client.of('session.opened').map(({ session }) => session)
    expect(first).not.toBe(second)
    expect(task.term?.token).toBeGreaterThan(term?.token ?? Number.NaN)
    expect(client.of('term.ended')).toHaveLength(1)
  })

  test('whose answer the process itself was too late for revives nothing', async () => {
    const task = start()
    await world.pass(RENEW_MS)
    const { term } = task
    client.road.trouble('renew', client.road.slowAnswer(1_000), 1)
    await world.pass(RENEW_MS + 500)
    // The answer is there when the process wakes, and its deadline has passed.
    await world.time.block(2 * LEASE_MS)
    await world.settle()
    expect(term?.isValid).toBe(false)
    await world.pass(1_000)
    expect(term?.signal.aborted).toBe(true)
    expect(client.of('session.lost')).toHaveLength(1)
  })

  test('that is told that the store knows no such session ends everything at once', async () => {
    const task = start()
    await world.settle()
    const { term } = task
    client.road.trouble('renew', unknown, 1)
    await world.pass(RENEW_MS)
    expect(term?.signal.reason).toMatchObject({ reason: 'session-lost' })
    expect(client.of('session.lost')).toMatchObject([{ reason: 'session-lost' }])
    expect(client.of('term.revoked')).toMatchObject([{ reason: 'session-lost', remainingMs: 0 }])
  })

  test('is not sent for a session that is over: only the new one is renewed', async () => {
    start()
    await world.settle()
    client.road.block(refused)
    await world.pass(LEASE_MS)
    client.road.heal()
    await world.pass(RENEW_MS)
    const before = client.road.count('renew')
    await world.pass(10 * RENEW_MS)
    expect(client.road.count('renew') - before).toBe(10)
  })

  test('is brought forward to the next expiry, so that a lease of a dead node is found at once', async () => {
    const stranger = await world.stranger()
    await stranger.campaign('ingest', 1)
    const task = start()
    await world.pass(LEASE_MS - 1)
    expect(task.term).toBeUndefined()
    await world.pass(12)
    expect(task.term?.isValid).toBe(true)
  })

  test('finds a lease that is freed without a hint, within a renew interval', async () => {
    client.road.dropHints()
    const stranger = await world.stranger()
    await stranger.campaign('ingest', 1)
    const task = start()
    await world.pass(RENEW_MS + 100)
    await stranger.close()
    await world.pass(RENEW_MS)
    expect(task.term?.isValid).toBe(true)
  })

  test('finds a lease that was offered to a frozen candidate, within one renew interval of that one', async () => {
    const holder = await world.stranger()
    await holder.campaign('ingest', 1)
    const frozen = await world.stranger()
    await frozen.campaign('ingest', 1)
    const task = start()
    await world.pass(1_000)
    await holder.close()
    await world.pass(RENEW_MS - 1)
    expect(task.term).toBeUndefined()
    await world.pass(RENEW_MS)
    expect(task.term?.isValid).toBe(true)
  })
})

describe('an opening', () => {
  test('that fails is repeated with a growing pause of at most a renew interval, and leads when it succeeds', async () => {
    const fresh = world.idleClient()
    client = fresh
    const at = departures('open', refused)
    fresh.simba.send({ type: 'START' })
    const task = start(fresh)
    await world.pass(3 * LEASE_MS)
    const gaps = at.slice(1).map((ms, index) => ms - (at[index] ?? 0))
    for (const gap of gaps) expect(gap).toBeLessThanOrEqual(RENEW_MS)
    for (const gap of gaps.slice(-5)) expect(gap).toBeGreaterThanOrEqual(RENEW_MS / 2)
    expect(gaps[0]).toBeLessThan(100)
    expect(at.length).toBeLessThan(30)
    fresh.road.heal()
    await world.pass(RENEW_MS)
    expect(task.term?.isValid).toBe(true)
  })

  test('that fails while what it may have left is closed is no store that answers again', async () => {
    client = world.idleClient()
    client.road.trouble('open', refused)
    client.simba.send({ type: 'START' })
    await world.pass(3 * RENEW_MS)
    expect(client.road.count('close')).toBeGreaterThan(1)
    expect(client.of('backend.failing')).toHaveLength(1)
    expect(client.of('backend.recovered')).toEqual([])
    client.road.heal()
    await world.pass(RENEW_MS)
    expect(client.of('backend.recovered')).toHaveLength(1)
  })

  test('whose answer comes too late is closed again, so that nobody waits for a session that nobody renews', async () => {
    const fresh = world.idleClient()
    fresh.road.trouble('open', fresh.road.slowAnswer(RENEW_MS + 1_000), 1)
    fresh.simba.send({ type: 'START' })
    await world.pass(LEASE_MS)
    expect(fresh.of('session.opened')).toHaveLength(1)
    expect(fresh.road.count('open')).toBe(2)
    expect(fresh.road.count('close')).toBe(1)
    await world.until(fresh.simba.stop(), 0)
    await world.until(client.simba.stop(), 0)
    expect(await world.storeIsEmpty()).toBe(true)
  })

  test('whose request comes too late makes a session that runs out, and no term', async () => {
    const fresh = world.idleClient()
    fresh.road.trouble('open', fresh.road.slowRequest(RENEW_MS + 1_000), 1)
    fresh.simba.send({ type: 'START' })
    const task = start(fresh)
    await world.pass(LEASE_MS)
    expect(fresh.of('term.started')).toHaveLength(1)
    expect(task.term?.isValid).toBe(true)
  })

  test('after a loss waits until the old session is ended in the store, so that its leases are free', async () => {
    const task = start()
    await world.settle()
    client.road.trouble('renew', refused)
    client.road.trouble('close', refused, 2)
    await world.pass(VALID_MS)
    client.road.trouble('renew', (deliver) => deliver())
    await world.pass(1_000)
    const order = client.road.calls.map(({ method }) => method).filter((method) => method !== 'renew')
    expect(order).toEqual(['open', 'campaign', 'close', 'close', 'close', 'open', 'campaign'])
    expect(task.term?.isValid).toBe(true)
  })
})

describe('a campaign', () => {
  test('whose answer is lost is repeated, and wins with a fresh token: one term, the one that the store knows', async () => {
    const granted: number[] = []
    client.road.trouble(
      'campaign',
      async (deliver) => {
        const answer = (await deliver()) as { token: number }
        granted.push(answer.token)
        throw new Error('ECONNRESET')
      },
      2,
    )
    const task = start()
    await world.pass(1_000)
    expect(granted).toHaveLength(2)
    expect(client.of('term.started')).toHaveLength(1)
    expect(task.term?.token).toBeGreaterThan(granted[1] ?? Number.NaN)
    expect(await leader()).toMatchObject({ token: task.term?.token })
  })

  test('whose answer came in time counts, though the process was held up too long to read it', async () => {
    client.road.trouble('campaign', client.road.slowAnswer(RENEW_MS - 100), 1)
    const task = start()
    await world.pass(1_000)
    await world.time.block(RENEW_MS)
    await world.pass(0)
    expect(client.road.count('campaign')).toBe(1)
    expect(task.term?.isValid).toBe(true)
  })

  test('that nobody answers is given up after a renew interval, and repeated', async () => {
    client.road.trouble('campaign', hanging, 1)
    const task = start()
    await world.pass(RENEW_MS - 1)
    expect([task.term, client.road.count('campaign')]).toEqual([undefined, 1])
    await world.pass(100)
    expect(task.term?.isValid).toBe(true)
  })

  test('that arrives when it was given up does nothing: the later one’s grant stays', async () => {
    client.road.trouble('campaign', client.road.slowRequest(RENEW_MS + 2_000), 1)
    const task = start()
    await world.pass(RENEW_MS + 1_000)
    const token = task.term?.token
    await world.pass(2_000)
    expect(await leader()).toMatchObject({ token })
    expect(client.of('term.started')).toHaveLength(1)
  })

  test('that arrives after a stop does nothing: nobody holds what nobody wants', async () => {
    client.road.trouble('campaign', client.road.slowRequest(RENEW_MS + 2_000), 1)
    const task = start()
    await world.pass(RENEW_MS - 1)
    await world.until(task.stop(), 100)
    expect(client.road.calls.at(-1)?.method).toBe('withdraw')
    await world.pass(LEASE_MS)
    expect(await leader()).toBeNull()
    expect(client.of('term.started')).toEqual([])
  })

  test('whose grant arrives when the session is lost makes no term', async () => {
    client.road.trouble('campaign', client.road.slowAnswer(VALID_MS), 1)
    client.road.trouble('renew', unknown, 1)
    const task = start()
    await world.pass(RENEW_MS + 10)
    expect(client.of('session.lost')).toHaveLength(1)
    const { term } = task
    expect(term?.isValid).toBe(true)
    await world.pass(2 * LEASE_MS)
    expect(task.term).toBe(term)
    expect(client.of('term.started')).toHaveLength(1)
  })

  test('that is told it is stale asks again', async () => {
    client.road.trouble('campaign', stale, 2)
    const task = start()
    await world.pass(1_000)
    expect(task.term?.isValid).toBe(true)
    expect(client.road.count('campaign')).toBe(3)
  })

  test('that is told that the session is unknown has it renewed at once', async () => {
    client.road.trouble('campaign', unknown, 1)
    client.road.trouble('renew', unknown, 1)
    const task = start()
    await world.pass(500)
    expect(client.of('session.lost')).toMatchObject([{ reason: 'session-lost' }])
    expect(task.term?.isValid).toBe(true)
  })

  test('is one at a time, however many hints come, true or not', async () => {
    const stranger = await world.stranger()
    await stranger.campaign('ingest', 1)
    let underWay = 0
    let most = 0
    const slow: Fault = async (deliver) => {
      underWay += 1
      most = Math.max(most, underWay)
      await world.sleep(50)
      const answer = await deliver()
      underWay -= 1
      return answer
    }
    client.road.trouble('campaign', slow)
    const task = start()
    for (let count = 0; count < 20; count++) {
      await world.pass(10)
      client.road.hint({ type: 'lease.freed', lease: 'ingest' })
      client.road.hint({ type: 'lease.freed', lease: 'another' })
    }
    await world.pass(1_000)
    expect([most, task.term]).toEqual([1, undefined])
    expect(client.road.count('campaign')).toBeLessThan(10)
    await stranger.close()
    await world.pass(100)
    expect(task.term?.isValid).toBe(true)
  })

  test('that is hinted at while its answer is under way is repeated: the hint may be younger than the answer', async () => {
    const stranger = await world.stranger()
    await stranger.campaign('ingest', 1)
    client.road.trouble('campaign', client.road.slowAnswer(500), 1)
    const task = start()
    await world.pass(100)
    await stranger.close()
    await world.pass(399)
    expect(task.term).toBeUndefined()
    await world.pass(1)
    expect(task.term?.isValid).toBe(true)
  })

  test('of a leader is not repeated for hints: it leads on', async () => {
    const task = start()
    await world.settle()
    const { term } = task
    client.road.hint({ type: 'lease.freed', lease: 'ingest' })
    await world.pass(1_000)
    expect([task.term, client.road.count('campaign')]).toEqual([term, 1])
  })
})

describe('a release', () => {
  test('that fails is repeated with pauses until it is confirmed, and then the election contends again', async () => {
    const task = start()
    await world.settle()
    const at = departures('release', refused)
    task.actor?.send({ type: 'STEP_DOWN' })
    await world.pass(5_000)
    expect(at.length).toBeGreaterThan(3)
    expect(at.length).toBeLessThan(15)
    expect(await leader()).toMatchObject({ node: 'node-1' })
    client.road.heal()
    await world.pass(RENEW_MS)
    expect(await leader()).toBeNull()
    await world.pass(LEASE_MS)
    expect(task.term?.isValid).toBe(true)
  })

  test('beside a renewal that is under way is a command of its own, and nobody waits a lease for it', async () => {
    const task = start()
    const other = start(world.client())
    client.road.trouble('renew', client.road.slowRequest(2_000), 1)
    await world.pass(RENEW_MS + 500)
    await world.until(task.stop(), 0)
    await world.settle()
    expect(other.term?.isValid).toBe(true)
    await world.pass(LEASE_MS)
    expect(other.term?.isValid).toBe(true)
  })

  test('that arrives when it was given up frees nothing of a newer grant', async () => {
    const task = start()
    await world.settle()
    client.road.trouble('release', client.road.slowRequest(RENEW_MS + 2_000), 1)
    await world.until(task.stop(), RENEW_MS + 100)
    const again = start()
    await world.settle()
    const token = again.term?.token
    await world.pass(LEASE_MS)
    expect(await leader()).toMatchObject({ token })
    expect(again.term?.token).toBe(token)
  })
})

describe('of hints,', () => {
  test('one that the way is back has the session renewed at once', async () => {
    await world.pass(500)
    const before = client.road.count('renew')
    client.road.hint({ type: 'connected' })
    await world.settle()
    expect(client.road.count('renew')).toBe(before + 1)
  })

  test('one that the way is lost changes nothing', async () => {
    const task = start()
    await world.settle()
    client.road.hint({ type: 'disconnected' })
    await world.pass(LEASE_MS)
    expect(task.term?.isValid).toBe(true)
    expect(client.of('session.lost')).toEqual([])
  })

  test('one that the session is over ends everything at once, and a new one is opened', async () => {
    const task = start()
    await world.settle()
    const { term } = task
    client.road.hint({ type: 'session.lost' })
    expect(term?.signal.aborted).toBe(true)
    await world.pass(LEASE_MS)
    expect(client.of('session.lost')).toMatchObject([{ reason: 'session-lost' }])
    expect(task.term?.isValid).toBe(true)
  })

  test('one for a session that is over is nobody’s', async () => {
    const task = start()
    await world.settle()
    const tellTheFirst = client.road.listener()
    client.road.hint({ type: 'session.lost' })
    await world.pass(LEASE_MS)
    const { term } = task
    tellTheFirst({ type: 'session.lost' })
    await world.pass(LEASE_MS)
    expect(task.term).toBe(term)
    expect(term?.isValid).toBe(true)

    const tellTheSecond = client.road.listener()
    await world.until(client.simba.stop(), 0)
    for (const tell of [tellTheFirst, tellTheSecond]) {
      tell({ type: 'session.lost' })
      tell({ type: 'lease.freed', lease: 'ingest' })
      tell({ type: 'connected' })
    }
    await world.pass(LEASE_MS)
    expect(client.simba.getSnapshot().value).toBe('stopped')
    expect(client.log.of('error')).toEqual([])
  })
})

describe('a store that cannot push hints', () => {
  const POLL_MS = 400

  /** A client whose way to the store is that of `client`, which tells it nothing by itself. */
  function polling(): Client {
    client.road.dropHints()
    return world.client({ backend: { ...client.road.backend, pollIntervalMs: POLL_MS } })
  }

  test('is looked at once per poll interval, and a freed lease is found with it', async () => {
    const polled = polling()
    const stranger = await world.stranger()
    await stranger.campaign('ingest', 1)
    const task = start(polled)
    await world.pass(RENEW_MS + 100)
    await stranger.close()
    await world.pass(POLL_MS)
    expect(task.term?.isValid).toBe(true)
    const before = client.road.count('look')
    await world.pass(10 * POLL_MS)
    expect(client.road.count('look') - before).toBe(10)
  })

  test('leads and hands over like any other', async () => {
    const [one, two] = [polling(), polling()]
    const task = start(one)
    await world.settle()
    const other = start(two)
    await world.pass(LEASE_MS)
    await world.until(task.stop(), 0)
    await world.pass(POLL_MS)
    expect(other.term?.isValid).toBe(true)
  })

  test('that does not know the session when it is looked at has it renewed at once', async () => {
    const polled = polling()
    const task = start(polled)
    await world.settle()
    client.road.trouble('look', unknown, 1)
    client.road.trouble('renew', unknown, 1)
    await world.pass(POLL_MS)
    expect(polled.of('session.lost')).toMatchObject([{ reason: 'session-lost' }])
    await world.pass(100)
    expect(task.term?.isValid).toBe(true)
  })

  test('that cannot be looked at is looked at again', async () => {
    const polled = polling()
    await world.settle()
    client.road.trouble('look', refused, 3)
    await world.pass(10 * POLL_MS)
    expect(client.road.count('look')).toBe(10)
    expect(polled.of('session.lost')).toEqual([])
  })
})

describe('sessions', () => {
  test('that were opened are lost or closed, each once', async () => {
    start()
    for (let count = 0; count < 3; count++) {
      await world.pass(RENEW_MS)
      if (count % 2 === 0) client.road.block(refused)
      else client.road.trouble('renew', unknown, 1)
      await world.pass(LEASE_MS)
      client.road.heal()
      await world.pass(RENEW_MS)
    }
    await world.until(client.simba.stop(), LEASE_MS)
    client.simba.send({ type: 'START' })
    await world.pass(RENEW_MS)
    client.road.block(refused)
    await world.pass(LEASE_MS)
    client.road.heal()
    client.simba.send({ type: 'STOP' })
    await world.pass(3 * LEASE_MS)
    const opened = client.of('session.opened').map(({ session }) => session)
    const lost = client.of('session.lost').map(({ session }) => session)
    const closed = client.of('session.closed').flatMap(({ session }) => session ?? [])
    expect([...lost, ...closed].toSorted()).toEqual(opened.toSorted())
    expect(new Set(opened).size).toBe(opened.length)
  })

  test('that the store opens and then knows nothing of are not opened in a circle', async () => {
    client.road.block(unknown)
    client.road.trouble('open', (deliver) => deliver())
    start()
    await world.pass(LEASE_MS)
    const before = client.road.calls.length
    await world.pass(10 * RENEW_MS)
    expect(client.road.calls.length - before).toBeLessThan(100)
    expect(client.of('term.started')).toEqual([])
  })

  test('that could not be opened are no events, though a stop ends what may have been opened', async () => {
    const fresh = world.idleClient()
    fresh.road.trouble('open', fresh.road.slowAnswer(1_000))
    fresh.simba.send({ type: 'START' })
    await world.pass(500)
    await world.until(fresh.simba.stop(), LEASE_MS)
    expect(fresh.events).toEqual([{ type: 'session.closed', session: null }])
    expect(fresh.road.count('close')).toBe(1)
  })
})

test('a stop while an opening is repeated does not wait for the next attempt', async () => {
  const fresh = world.idleClient()
  fresh.road.trouble('open', refused)
  fresh.simba.send({ type: 'START' })
  await world.pass(3 * LEASE_MS)
  expect(await world.until(fresh.simba.stop(), LEASE_MS)).toBe(0)
})

describe('commands', () => {
  test('of which thousands were answered are forgotten by the store: each renewal names what is settled', async () => {
    for (let count = 0; count < 50; count++) {
      await using _ = await client.simba.lock(`l-${count}`).acquire()
    }
    const numbers = client.road.calls.flatMap(({ method, args }) => (method === 'release' ? [args[2] as number] : []))
    await world.pass(RENEW_MS)
    const renewal = client.road.calls.findLast(({ method }) => method === 'renew')
    expect(renewal?.args).toEqual([{ settled: Math.max(...numbers), epoch: 1 }])
  })

  test('that are not settled yet are named as such', async () => {
    start()
    await world.settle()
    client.road.trouble('campaign', client.road.slowAnswer(2 * RENEW_MS), 1)
    client.simba.election('slow').runWhileLeader(untilAborted)
    await world.settle()
    client.simba.election('quick').runWhileLeader(untilAborted)
    await world.pass(RENEW_MS - 1)
    const sent = client.road.calls.flatMap(({ method, args }) => (method === 'campaign' ? [args] : []))
    const slow = sent.find(([lease]) => lease === 'slow')
    client.road.hint({ type: 'connected' })
    await world.settle()
    const renewal = client.road.calls.findLast(({ method }) => method === 'renew')
    expect(renewal?.args).toEqual([{ settled: (slow?.[1] as number) - 1, epoch: 1 }])
  })

  test('carry numbers that only grow within a session', async () => {
    client.road.trouble('campaign', answerLost, 2)
    const task = start()
    await world.pass(1_000)
    task.actor?.send({ type: 'STEP_DOWN' })
    await world.pass(2 * LEASE_MS)
    await world.until(task.stop(), 0)
    const numbers = client.road.calls.flatMap(({ method, args }) =>
      ['campaign', 'withdraw', 'release'].includes(method) ? [args.at(-1) as number] : [],
    )
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    expect(new Set(numbers).size).toBe(numbers.length)
  })
})

test('a term never outlives what the store has promised, however slow each answer is', async () => {
  const terms: Term[] = []
  client.simba.election('ingest').runWhileLeader((term) => {
    terms.push(term)
    return untilAborted(term)
  })
  client.road.trouble('renew', client.road.slowAnswer(RENEW_MS - 1))
  const stranger = await world.stranger()
  await world.pass(RENEW_MS)
  // From here on the store hears nothing of this client.
  client.road.block(hanging)
  const lastHeardMs = RENEW_MS
  for (let number = 1; ; number++) {
    await stranger.renew({ settled: 0, epoch: 1 })
    const answer = await stranger.campaign('ingest', number)
    if (answer.kind === 'granted') break
    await world.pass(10)
  }
  expect(nowMs()).toBeGreaterThanOrEqual(lastHeardMs + LEASE_MS)
  expect(terms.map(({ isValid }) => isValid)).toEqual([false])
  await stranger.close()
})
