/** What becomes of a ZooKeeper client when servers of an ensemble fail, stand still, or come late. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { zookeeper } from '../../src/backends/zookeeper/index.ts'
import { type Client, freshNamespace, openClient, until } from '../support/store-client.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'
import { outageOf } from '../support/zookeeper-outage.ts'
import { isZooKeeperMissing, ZooKeeperEnsemble, type ZooKeeperServer } from '../support/zookeeper-server.ts'
import { rawClient } from '../support/zookeeper-tree.ts'

const TICK_MS = 100
/** Outlive a restart of a server and an election of a leader. */
const LONG = { leaseDurationMs: 30_000, renewIntervalMs: 10_000 }
const BRIEF = { leaseDurationMs: 3_000, renewIntervalMs: 1_000 }

const unavailable = expect.objectContaining({ code: 'BACKEND_UNAVAILABLE' })

let ensemble: ZooKeeperEnsemble
let namespace: string
const cleanUps: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  if (!isZooKeeperMissing) ensemble = await ZooKeeperEnsemble.start({ tickTimeMs: TICK_MS })
})
afterAll(() => ensemble?.dispose())

beforeEach(async () => {
  namespace = freshNamespace()
  // Servers that stood still in the test before have to find each other again.
  if (!isZooKeeperMissing) await modes()
})
afterEach(async () => {
  await ensemble?.mend()
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function enter(options = LONG, url = ensemble.url, node = 'a'): Promise<Client> {
  const opened = await openClient(zookeeper(url), namespace, { ...options, node })
  cleanUps.push(() => opened.connection.close())
  return opened
}

/** The server with which the client talks, found by asking each for its connections. */
async function serverOf({ player }: Client): Promise<ZooKeeperServer> {
  const client = await firstAnswer((server) => rawClient(server.port))
  const { stat } = await client.data(`/simba/${namespace}/sessions/${player.id}`)
  await client.end()
  const id = `0x${stat.ephemeralOwner.toString(16)}`
  return firstAnswer(async (server) => {
    if ((await server.ask('cons')).includes(`sid=${id}`)) return server
    throw new Error(`not the server of ${id}`)
  })
}

/** Some of them may be dead. */
function firstAnswer<A>(ask: (server: ZooKeeperServer) => Promise<A>): Promise<A> {
  return Promise.any(ensemble.servers.map(ask))
}

async function modes(): Promise<{ readonly leader: ZooKeeperServer; readonly followers: readonly ZooKeeperServer[] }> {
  const found = { leader: [] as ZooKeeperServer[], follower: [] as ZooKeeperServer[] }
  await until('each of the servers knows what it is', async () => {
    found.leader = []
    found.follower = []
    for (const server of ensemble.servers) {
      const [, mode] = /Mode: (leader|follower)/.exec(await server.ask('srvr')) ?? []
      if (mode) found[mode as keyof typeof found].push(server)
    }
    return found.leader.length === 1 && found.follower.length === 2
  })
  return { leader: found.leader[0]!, followers: found.follower }
}

describe.skipIf(isZooKeeperMissing)('whether anybody is served', () => {
  it('is told by a client that has nothing to do with us', async () => {
    const hosts = ensemble.servers.map(({ host }) => host)
    expect(await outageOf(hosts)).toBeUndefined()
    for (const server of ensemble.servers) server.freeze()
    expect(await outageOf(hosts, 5_000)).toContain('begins no session')
  }, 60_000)
})

describe.skipIf(isZooKeeperMissing)('an ensemble', () => {
  it('goes on with a session at another server when its own is killed', async () => {
    const a = await enter()
    const b = await enter(LONG, ensemble.url, 'b')
    const token = await a.player.win('x')
    await b.player.queue('x', 'a')
    const server = await serverOf(a)
    await server.kill()
    await until('the session goes on', () =>
      a.player.renew().then(
        ({ kind }) => kind === 'renewed',
        () => false,
      ),
    )
    expect(await serverOf(a)).not.toBe(server)
    await until('b can be asked', () =>
      b.player.renew().then(
        ({ kind }) => kind === 'renewed',
        () => false,
      ),
    )
    expect(await b.connection.leaders(['x'])).toEqual([{ node: 'a', token }])
    await a.player.free('x', token)
    await until('the hint', () => b.player.takeLeaseHint('x'))
    expect(a.hinted).not.toContain('session.lost')
  })

  it('goes on with a session at another server when its own falls silent', async () => {
    const a = await enter({ leaseDurationMs: 9_000, renewIntervalMs: 3_000 })
    const token = await a.player.win('x')
    const server = await serverOf(a)
    server.freeze()
    await expect(a.player.renew()).rejects.toEqual(unavailable)
    await until('the session goes on', () =>
      a.player.renew().then(
        ({ kind }) => kind === 'renewed',
        () => false,
      ),
    )
    server.thaw()
    await a.player.free('x', token)
  })

  it('keeps sessions, leases and tokens through the election of a new leader', async () => {
    const a = await enter()
    const token = await a.player.win('x')
    const { leader } = await modes()
    await leader.kill()
    let again = 0
    await until('the lease is granted anew', async () => {
      const answer = await a.player.campaign('x').catch(() => ({ kind: 'failed' }) as const)
      if (answer.kind === 'granted') again = answer.token
      return again !== 0
    })
    expect(again).toBeGreaterThan(token)
    expect(a.hinted).not.toContain('session.lost')
  })

  it('without a quorum confirms nothing, though its servers still answer', async () => {
    const { leader, followers } = await modes()
    const lonely = `zookeeper://${followers[0]!.host}?tickTime=${TICK_MS}`
    const a = await enter(BRIEF, lonely)
    await a.player.win('x')
    leader.freeze()
    followers[1]!.freeze()
    // For a while, it does not know.
    expect(await followers[0]!.ask('srvr')).toContain('Mode: follower')
    await expect(a.player.renew()).rejects.toEqual(unavailable)
    await expect(a.player.campaign('x')).rejects.toEqual(unavailable)
    await sleep(BRIEF.leaseDurationMs)
    expect(await a.player.renew()).toEqual({ kind: 'unknown' })
  })

  it('lets nothing through that comes late by a server which the session has left', async () => {
    const ways = await Promise.all(ensemble.servers.slice(0, 2).map(({ port }) => TcpProxy.start(port)))
    cleanUps.push(() => Promise.all(ways.map((way) => way.dispose())))
    const hosts = ways.map(({ port }) => `127.0.0.1:${port}`).join(',')
    for (let round = 0; round < 5; round++) {
      const a = await enter(BRIEF, `zookeeper://${hosts}?tickTime=${TICK_MS}`)
      const releases = ways.map((way) => way.hold())
      const late = [a.player.campaign('x', 1), a.player.join('g', 4, [], 1)]
      for (const call of late) await expect(call).rejects.toEqual(unavailable)
      await until('it is back', () => a.hinted.includes('connected'))
      expect(await a.player.withdraw('x', 2)).toEqual({ kind: 'withdrawn' })
      expect(await a.player.leave('g', 2)).toEqual({ kind: 'left' })
      for (const release of releases) release()
      await sleep(50)
      expect(await a.connection.leaders(['x'])).toEqual([null])
      expect(await a.player.members('g')).toMatchObject({ members: [] })
      await a.player.session.close()
    }
  })

  it('shows everybody the same leader right after a change, whichever server is asked', async () => {
    const clients = await Promise.all(
      ensemble.servers.map(({ host }, at) => enter(LONG, `zookeeper://${host}?tickTime=${TICK_MS}`, `n${at}`)),
    )
    for (let round = 0; round < 20; round++) {
      const { player } = clients[round % clients.length]!
      const token = await player.win('x')
      for (const { connection } of clients) {
        expect(await connection.leaders(['x'])).toEqual([{ node: player.node, token }])
      }
      await player.free('x', token)
      for (const { connection } of clients) expect(await connection.leaders(['x'])).toEqual([null])
    }
  })

  it('with a server that is cut off from the others: its clients stop counting on their sessions before others lead', async () => {
    const options = { leaseDurationMs: 2_000, renewIntervalMs: 600 }
    await ensemble.dispose()
    ensemble = await ZooKeeperEnsemble.startOverWays({ tickTimeMs: TICK_MS })
    for (let round = 0; round < 4; round++) {
      const { leader, followers } = await modes()
      const [lonely] = followers
      const a = await enter(options, `zookeeper://${lonely!.host}?tickTime=${TICK_MS}`)
      const b = await enter(LONG, `zookeeper://${leader.host}?tickTime=${TICK_MS}`, 'b')
      const lease = `x${round}`
      await a.player.win(lease)
      await b.player.queue(lease, 'a')
      let validUntilMs = 0
      let isOver = false
      const renew = async () => {
        const sentMs = performance.now()
        const answer = await a.player.renew().catch(() => null)
        if (answer?.kind !== 'renewed') return
        validUntilMs = sentMs + options.leaseDurationMs - answer.provenMsAgo!
      }
      const renewals = (async () => {
        while (!isOver) {
          await renew()
          // What the server answers by itself.
          a.player.session.members('g').catch(() => {})
          await sleep(150)
        }
      })()
      await sleep(700 + round * 130)
      const mend = ensemble.cutOff(lonely!)
      const cutMs = performance.now()
      await until('b is told', () => b.player.takeLeaseHint(lease))
      const ledMs = performance.now()
      isOver = true
      await renewals
      mend()
      expect(validUntilMs).toBeGreaterThan(cutMs)
      expect(ledMs).toBeGreaterThan(validUntilMs)
      await b.player.win(lease)
    }
  })
})
