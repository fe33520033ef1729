/** What becomes of a ZooKeeper client when its server, or the way there, does not behave. Each fault is made with a real server. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { zookeeper } from '../../src/backends/zookeeper/index.ts'
import { expectNothingLeftBy } from '../support/leftovers.ts'
import { answering, type Client, client, freshNamespace, openClient, until } from '../support/store-client.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'
import { expireOwner } from '../support/zookeeper-expiry.ts'
import { isZooKeeperMissing, ZooKeeperServer } from '../support/zookeeper-server.ts'
import { rawClient } from '../support/zookeeper-tree.ts'

/** The least that the backend waits for an answer, with leases as short as these. */
const SILENCE_MS = 500
const BRIEF = { leaseDurationMs: 3_000, renewIntervalMs: 1_000 }
/** Outlive a restart of the server. */
const LONG = { leaseDurationMs: 30_000, renewIntervalMs: 10_000 }

const unavailable = expect.objectContaining({ code: 'BACKEND_UNAVAILABLE' })

let server: ZooKeeperServer
let namespace: string
const cleanUps: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  if (!isZooKeeperMissing) server = await ZooKeeperServer.start({ tickTimeMs: 50 })
})
afterAll(() => server?.dispose())

beforeEach(() => {
  namespace = freshNamespace()
})
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
  await server?.mend()
})

const root = () => `/simba/${namespace}`

async function enter(options = LONG, url = server.url): Promise<Client> {
  const opened = await openClient(zookeeper(url), namespace, options)
  cleanUps.push(() => opened.connection.close())
  return opened
}

async function proxied(): Promise<{ readonly way: TcpProxy; readonly url: string }> {
  const way = await TcpProxy.start(server.port)
  cleanUps.push(() => way.dispose())
  return { way, url: `zookeeper://127.0.0.1:${way.port}?tickTime=50` }
}

async function operator() {
  const made = await rawClient(server.port)
  cleanUps.push(async () => made.destroy())
  return made
}

async function isHeld(lease: string): Promise<boolean> {
  return (await operator()).exists(`${root()}/holders/${lease}`, () => {})
}

describe.skipIf(isZooKeeperMissing)('the way to the server', () => {
  it('is lost: hints say so, calls are rejected at once, and when it is back the session goes on', async () => {
    const { player, connection, hinted } = await enter()
    const token = await player.win('x')
    await server.kill()
    await until('the hint of the loss', () => hinted.includes('disconnected'))
    const before = performance.now()
    for (let call = 0; call < 100; call++) await expect(player.renew()).rejects.toEqual(unavailable)
    // A single one that waited for the server would take as long as its deadline.
    expect(performance.now() - before).toBeLessThan(10_000)
    await server.start()
    await until('the hint of the return', () => hinted.includes('connected'))
    await player.renewed()
    expect(await connection.leaders(['x'])).toEqual([{ node: 'a', token }])
    await player.free('x', token)
    expect(hinted).toEqual(['disconnected', 'connected'])
  })

  it('is found again, and the watches with it', async () => {
    const a = await enter()
    const b = await enter()
    const token = await a.player.win('x')
    await b.player.queue('x', 'a')
    await a.player.enroll('g', 4)
    await b.player.enroll('g', 4)
    await server.restart('kept')
    await until('both are back', () => a.hinted.includes('connected') && b.hinted.includes('connected'))
    await a.player.free('x', token)
    await a.player.leave('g')
    await until('the hint for the lease', () => b.player.takeLeaseHint('x'))
    await until('the hint for the group', () => b.player.takeGroupHint('g'))
  })

  it('falls silent: what was missed meanwhile is told on the next connection', async () => {
    const { way, url } = await proxied()
    const a = await enter()
    const b = await enter(BRIEF, url)
    const token = await a.player.win('x')
    await b.player.queue('x', 'a')
    await a.player.enroll('g', 4)
    await b.player.enroll('g', 4)
    const before = await b.player.members('g')
    const release = way.hold()
    await a.player.free('x', token)
    await a.player.enroll('g', 4, [1])
    await expect(b.player.renew()).rejects.toEqual(unavailable)
    await until('b is back', () => b.hinted.includes('connected'))
    await until('the hint for the lease', () => b.player.takeLeaseHint('x'))
    await until('the hint for the group', () => b.player.takeGroupHint('g'))
    const { inbox } = await b.player.renewed()
    expect(inbox.freed).toEqual(['x'])
    expect(inbox.groups.g).toBeGreaterThan(before.version)
    release()
  })

  it('lets a command through after it was given up and withdrawn: it does nothing', async () => {
    const { way, url } = await proxied()
    const { player, connection, hinted } = await enter(BRIEF, url)
    const release = way.hold()
    await expect(player.campaign('x', 100)).rejects.toEqual(unavailable)
    await until('it is back', () => hinted.includes('connected'))
    expect(await player.withdraw('x', 101)).toEqual({ kind: 'withdrawn' })
    release()
    for (let round = 0; round < 20; round++) expect(await connection.leaders(['x'])).toEqual([null])
    expect(await player.campaign('x', 100)).toEqual({ kind: 'stale' })
  })

  it('ends at a frozen server: nothing of what it was given is done that was withdrawn when it thaws', async () => {
    const { player, connection, hinted } = await enter()
    const brief = await enter({ ...LONG, leaseDurationMs: 5_000 })
    server.freeze()
    const before = performance.now()
    await expect(brief.player.campaign('x', 100)).rejects.toEqual(unavailable)
    expect(performance.now() - before).toBeLessThan(5_000 / 6 + SILENCE_MS)
    await expect(brief.player.renew()).rejects.toEqual(unavailable)
    server.thaw()
    await until('it is back', () => brief.hinted.includes('connected'))
    expect(await brief.player.withdraw('x', 101)).toEqual({ kind: 'withdrawn' })
    expect(await connection.leaders(['x'])).toEqual([null])
    expect(hinted).toEqual([])
    await player.renewed()
  })

  it('falls silent on many calls at once: they are rejected, and the connection is given up once', async () => {
    const { way, url } = await proxied()
    const { player, hinted } = await enter(BRIEF, url)
    way.hold()
    const calls = await Promise.allSettled(Array.from({ length: 60 }, (_, n) => player.campaign(`x${n}`)))
    for (const call of calls) expect(call).toEqual({ status: 'rejected', reason: unavailable })
    await until('it is back', () => hinted.includes('connected'))
    expect(hinted).toEqual(['disconnected', 'connected'])
    for (let n = 0; n < 60; n++) {
      await player.renewed()
      await player.free(`x${n}`, await player.win(`x${n}`))
    }
  })

  it('is blocked together with the event loop: that is no silence of the server', async () => {
    const { player, hinted } = await enter()
    const renewal = player.renewed()
    await new Promise((resolve) => setImmediate(resolve))
    const untilMs = performance.now() + 6_000
    while (performance.now() < untilMs);
    await renewal
    expect(hinted).toEqual([])
  })

  it('is found to a server that was not there at first', async () => {
    await server.kill()
    const far = await client(zookeeper(server.url), namespace, LONG)
    cleanUps.push(() => far.connection.close())
    await expect(far.player.open()).rejects.toEqual(unavailable)
    await expect(far.connection.leaders(['x'])).rejects.toEqual(unavailable)
    await far.player.session.close()
    await server.start()
    await answering(far.connection)
    await enter()
  })
})

describe.skipIf(isZooKeeperMissing)('a command of unknown outcome', () => {
  it('that was done is found: a campaign is a new grant, and the lease is held once', async () => {
    const { way, url } = await proxied()
    const { player, hinted } = await enter(BRIEF, url)
    const release = way.holdAnswers()
    await expect(player.campaign('x')).rejects.toEqual(unavailable)
    await expect(isHeld('x')).resolves.toBe(true)
    await until('it is back', () => hinted.includes('connected'))
    const token = await player.win('x')
    await player.free('x', token)
    await expect(isHeld('x')).resolves.toBe(false)
    release()
  })

  it('that was done is found: a withdrawal ends it', async () => {
    const { way, url } = await proxied()
    const { player, hinted } = await enter(BRIEF, url)
    const release = way.holdAnswers()
    await expect(player.campaign('x')).rejects.toEqual(unavailable)
    await expect(isHeld('x')).resolves.toBe(true)
    await until('it is back', () => hinted.includes('connected'))
    expect(await player.withdraw('x')).toEqual({ kind: 'withdrawn' })
    await expect(isHeld('x')).resolves.toBe(false)
    release()
  })

  it('that was done is found: a candidate keeps its one place in line', async () => {
    const { way, url } = await proxied()
    const a = await enter()
    const b = await enter({ leaseDurationMs: 9_000, renewIntervalMs: 3_000 }, url)
    const c = await enter()
    const admin = await operator()
    const line = () => admin.children(`${root()}/lines/x`).then(({ names }) => names)
    const token = await a.player.win('x')
    way.delayAnswers(300)
    const campaign = b.player.campaign('x')
    campaign.catch(() => {})
    await until('b stands in line', () =>
      line()
        .then((names) => names.length === 1)
        .catch(() => false),
    )
    way.loseAnswers()
    await expect(campaign).rejects.toEqual(unavailable)
    await c.player.queue('x', 'a')
    await until('b is back', () => b.hinted.includes('connected'))
    await b.player.queue('x', 'a')
    expect(await line()).toHaveLength(2)
    await a.player.free('x', token)
    await until('the hint', () => b.player.takeLeaseHint('x'))
    expect(c.player.hints).toEqual([])
  })

  it('that was done is found: a withdrawal, a release and a change of the entry are not done twice', async () => {
    const { way, url } = await proxied()
    const { player, hinted } = await enter(BRIEF, url)
    const token = await player.win('x')
    await player.win('y')
    let release = way.holdAnswers()
    const calls = [player.release('x', token), player.withdraw('y')]
    for (const call of calls) await expect(call).rejects.toEqual(unavailable)
    await until('it is back', () => hinted.includes('connected'))
    release()
    expect(await player.release('x', token)).toEqual({ kind: 'not-held' })
    expect(await player.withdraw('y')).toEqual({ kind: 'withdrawn' })
    await player.enroll('g', 4)
    const before = await player.members('g')
    release = way.holdAnswers()
    await expect(player.join('g', 4, [1])).rejects.toEqual(unavailable)
    await until('it is back', () => hinted.filter((type) => type === 'connected').length === 2)
    const between = await player.members('g')
    expect(between.version).toBeGreaterThan(before.version)
    await player.enroll('g', 4, [1])
    expect(await player.members('g')).toEqual(between)
    release()
  })

  it('that comes through another door is fenced off by the version of the session’s node', async () => {
    const { player, hinted } = await enter()
    const token = await player.win('x')
    // What the server would make of a renewal of an earlier connection.
    const path = `${root()}/sessions/${player.id}`
    await (await operator()).change({ type: 'set', path, data: '', version: -1 })
    await expect(player.release('x', token)).rejects.toEqual(unavailable)
    await expect(isHeld('x')).resolves.toBe(true)
    await until('it is back', () => hinted.includes('connected'))
    expect(await player.release('x', token)).toEqual({ kind: 'released' })
  })
})

describe.skipIf(isZooKeeperMissing)('a session', () => {
  it('that is expired from outside is lost at once, and unknown to every call', async () => {
    const a = await enter()
    const b = await enter()
    await a.player.win('x')
    await b.player.queue('x', 'a')
    await a.player.enroll('g', 4)
    await expireOwner(server.port, `${root()}/sessions/${a.player.id}`)
    await until('the hint of the loss', () => a.hinted.includes('session.lost'))
    expect(await a.player.renew()).toEqual({ kind: 'unknown' })
    expect(await a.player.campaign('x')).toEqual({ kind: 'unknown' })
    await until('the hint for the lease', () => b.player.takeLeaseHint('x'))
    await b.player.win('x')
    expect((await b.player.members('g')).members).toEqual([])
    await a.player.session.close()
  })

  it('whose node an operator has deleted is lost', async () => {
    const { player, hinted } = await enter()
    await player.win('x')
    await (await operator()).change({ type: 'delete', path: `${root()}/sessions/${player.id}`, version: -1 })
    expect(await player.campaign('y')).toEqual({ kind: 'unknown' })
    expect(hinted).toContain('session.lost')
  })

  it('whose lease an operator has deleted holds it no more, and can have it again', async () => {
    const { player } = await enter()
    const token = await player.win('x')
    await (await operator()).change({ type: 'delete', path: `${root()}/holders/x`, version: -1 })
    expect(await player.release('x', token)).toEqual({ kind: 'not-held' })
    const next = await player.win('x')
    expect(next).toBeGreaterThan(token)
    await (await operator()).change({ type: 'delete', path: `${root()}/holders/x`, version: -1 })
    expect(await player.win('x')).toBeGreaterThan(next)
  })

  it('whose place in line an operator has deleted is told to come again', async () => {
    const a = await enter()
    const b = await enter()
    const c = await enter()
    await a.player.win('x')
    await b.player.queue('x', 'a')
    await c.player.queue('x', 'a')
    const admin = await operator()
    const { names } = await admin.children(`${root()}/lines/x`)
    const remove = (session: string) => {
      const path = `${root()}/lines/x/${names.find((name) => name.startsWith(session))}`
      return admin.change({ type: 'delete', path, version: -1 })
    }
    await remove(c.player.id)
    await remove(b.player.id)
    await until('the hint', () => c.player.takeLeaseHint('x'))
    await c.player.queue('x', 'a')
    await b.player.withdraw('x')
  })

  it('is ended at the server when it is closed after the connection was lost', async () => {
    const { way, url } = await proxied()
    const a = await enter({ leaseDurationMs: 9_000, renewIntervalMs: 3_000 }, url)
    await a.player.win('x')
    const release = way.hold()
    way.refuse(true)
    a.player.renew().catch(() => {})
    await until('the connection is given up', () => a.hinted.includes('disconnected'))
    await expect(a.player.session.close()).rejects.toEqual(unavailable)
    await expect(isHeld('x')).resolves.toBe(true)
    way.refuse(false)
    const admin = await operator()
    await until('it is ended', async () => !(await admin.exists(`${root()}/holders/x`, () => {})))
    await a.player.session.close()
    release()
  })

  it('is over when its own time is, whatever the server would say', async () => {
    const { player, hinted } = await enter({ leaseDurationMs: 1_000, renewIntervalMs: 300 })
    await player.win('x')
    const openedMs = performance.now()
    // All of these keep the ZooKeeper session alive.
    await until('a second has passed', async () => {
      await player.session.look()
      return performance.now() - openedMs > 1_000
    })
    expect(await player.renew()).toEqual({ kind: 'unknown' })
    const admin = await operator()
    await until('it is ended at the server, too', async () => !(await admin.exists(`${root()}/holders/x`, () => {})))
    expect(hinted).toEqual([])
  })
})

describe.skipIf(isZooKeeperMissing)('a server that lost its data', () => {
  it('knows no session any more, and goes on with greater tokens', async () => {
    const { player, hinted } = await enter()
    const token = await player.win('x')
    await server.restart('lost')
    const again = await enter()
    expect(await again.player.win('x')).toBeGreaterThan(token)
    // It is refused there, since it has seen more than the server has.
    await expect(player.renew()).rejects.toEqual(unavailable)
    expect(hinted).not.toContain('connected')
  })
})

describe.skipIf(isZooKeeperMissing)('after close, nothing is left', () => {
  const cases = {
    'of a session': 'await session.open(); await session.renew({ settled: 0, epoch: 1 }); await session.close()',
    'of an open session': 'await session.open(); await session.renew({ settled: 0, epoch: 1 })',
    'of a reader': 'await connection.leaders(["x"])',
    'of a connection that was never used': '',
    'of a connection that was closed at once': 'await connection.close()',
    'of a server that is not there': 'await session.open().catch(() => {})',
    'of a server that is frozen': 'session.open().catch(() => {}); await new Promise((r) => setTimeout(r, 100))',
    'of a connection that was lost': `await session.open(); process.kill(PID, 'SIGKILL');
      await new Promise((r) => setTimeout(r, 300)); session.close().catch(() => {})`,
  }
  for (const [what, code] of Object.entries(cases)) {
    it(what, async () => {
      if (what.includes('not there')) await server.kill()
      if (what.includes('frozen')) server.freeze()
      await expectNothingLeftBy({
        backend: 'zookeeper',
        url: server.url,
        namespace,
        code: code.replace('PID', `${server.pid}`),
      })
    }, 20_000)
  }
})
