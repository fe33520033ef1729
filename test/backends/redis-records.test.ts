/** What the Redis store keeps, for how long, and what it makes of records and servers that are not as it left them. */
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { redis } from '../../src/backends/redis/index.ts'
import { RedisServer, type RedisServerOptions } from '../support/redis-server.ts'
import { freePort } from '../support/server-process.ts'
import { answering, type Client, freshNamespace, openClient, until } from '../support/store-client.ts'

const cleanUps: (() => Promise<unknown>)[] = []
let namespace: string
let root: string

beforeEach(() => {
  namespace = freshNamespace()
  root = `simba:{${namespace}}`
})
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function start(options?: RedisServerOptions): Promise<RedisServer> {
  const server = await RedisServer.start(options)
  cleanUps.push(() => server.dispose())
  return server
}

function admin(server: RedisServer): Redis {
  const made = new Redis(server.port)
  made.on('error', () => {})
  cleanUps.push(async () => made.disconnect())
  return made
}

async function enter(server: RedisServer, node = 'a', leaseDurationMs = 60_000): Promise<Client> {
  const options = { node, leaseDurationMs, renewIntervalMs: leaseDurationMs / 3 }
  const opened = await openClient(redis(server.url), namespace, options)
  cleanUps.push(() => opened.connection.close())
  return opened
}

/** In a namespace that this server knows well, so that it grants at once. */
async function enterGranting(server: RedisServer, node = 'a', leaseDurationMs = 60_000): Promise<Client> {
  const opened = await enter(server, node, leaseDurationMs)
  await admin(server).hset(root, 'grantsFrom', 0)
  return opened
}

async function keys(operator: Redis): Promise<string[]> {
  return (await operator.keys('*')).map((key) => key.slice(root.length)).sort()
}

describe('the records', () => {
  it('go away: a lease’s when it is free, numbers when they are settled, a session’s when it ends', async () => {
    const server = await start()
    const operator = admin(server)
    const a = await enterGranting(server, 'a')
    const b = await enter(server, 'b')
    for (const lease of ['x', 'y', 'z']) {
      const token = await a.player.win(lease)
      await b.player.queue(lease, 'a')
      await a.player.free(lease, token)
      await b.player.free(lease, await b.player.win(lease))
    }
    await a.player.enroll('g', 4)
    await b.player.enroll('g', 4)
    const of = (kind: string) => [a, b].map(({ player }) => `:${kind}:${player.id}`).sort()
    const sessions = [':renewed', ...of('session'), ':sessions']
    expect(await keys(operator)).toEqual(['', ':group:g', ...of('groups'), ...of('numbers'), ...sessions])
    await Promise.all([a.player.leave('g'), b.player.leave('g')])
    await Promise.all([a.player.renewed(100), b.player.renewed(100)])
    expect(await keys(operator)).toEqual(['', ...sessions])
    await a.player.session.close()
    await b.player.session.close()
    expect(await keys(operator)).toEqual([''])
  })

  it('go away with a session that runs out', async () => {
    const server = await start()
    const operator = admin(server)
    const a = await enterGranting(server, 'a', 1_000)
    const b = await enter(server, 'b')
    await a.player.win('x')
    await b.player.win('y')
    await a.player.enroll('g', 4)
    expect(await a.player.campaign('y')).toEqual({ kind: 'held', holder: 'b' })
    await until('it has run out', async () => (await a.player.renew()).kind === 'unknown' || (await pause(1_010)))
    await b.player.renewed(100)
    await b.player.session.close()
    expect(await keys(operator)).toEqual([''])
  })

  it('of one lease are not those of another with a clever name', async () => {
    const server = await start()
    const { player } = await enterGranting(server)
    for (const lease of ['a', 'line:a', 'lease:a', 'a:line', 'sessions', 'a.0']) await player.win(lease)
    for (const group of ['a', 'version', 'group:a']) await player.enroll(group, 4)
    expect(Object.keys((await player.inbox()).groups).sort()).toEqual(['a', 'group:a', 'version'])
    expect((await player.members('version')).members).toHaveLength(1)
  })

  it('of an unknown format are refused, and left as they are', async () => {
    const server = await start()
    const operator = admin(server)
    const { player, connection } = await enterGranting(server)
    await operator.hset(root, 'format', '2')
    const before = await operator.hgetall(root)
    const refused = expect.objectContaining({ code: 'BACKEND_FORMAT', message: expect.stringContaining('format 2') })
    const calls = [
      () => player.open(),
      () => player.renew(),
      () => player.campaign('x'),
      () => player.withdraw('x'),
      () => player.release('x', 1),
      () => player.join('g', 4),
      () => player.leave('g'),
      () => player.members('g'),
      () => player.inbox(),
      () => connection.leaders(['x']),
      () => player.session.close(),
    ]
    for (const call of calls) await expect(call()).rejects.toEqual(refused)
    expect(await operator.hgetall(root)).toEqual(before)
  })

  it('carry tokens without losing a digit', async () => {
    const server = await start()
    const operator = admin(server)
    const { player } = await enterGranting(server)
    await operator.hset(root, 'token', Number.MAX_SAFE_INTEGER - 2)
    const token = await player.win('x')
    expect(token).toBe(Number.MAX_SAFE_INTEGER - 1)
    await player.free('x', token)
    expect(await player.win('x')).toBe(Number.MAX_SAFE_INTEGER)
  })
})

describe('a call is bounded', () => {
  it('where a hundred dead candidates stand before a living one', async () => {
    const server = await start()
    const operator = admin(server)
    const a = await enterGranting(server, 'a')
    const b = await enter(server, 'b')
    const token = await a.player.win('x')
    // The dead, as they stand in line: too many sessions to open one by one.
    for (let dead = 0; dead < 250; dead++) {
      await operator
        .pipeline()
        .zadd(`${root}:line:x`, -1_000 + dead, `dead${dead}`)
        .exec()
    }
    await b.player.queue('x', 'a')
    await a.player.free('x', token)
    expect((await b.player.inbox()).freed).toEqual([])
    expect(await operator.zcard(`${root}:line:x`)).toBe(151)
    expect((await a.player.renewed()).nextExpiryInMs).toBe(0)
    expect((await a.player.renewed()).nextExpiryInMs).toBeGreaterThan(0)
    expect((await b.player.inbox()).freed).toEqual(['x'])
    await b.player.win('x')
  })
})

describe('a clock that has stepped back', () => {
  it('does not keep a dead session, nor an offer, longer than their time', async () => {
    const server = await start()
    const operator = admin(server)
    const a = await enterGranting(server, 'a', 1_000)
    const b = await enter(server, 'b')
    const c = await enter(server, 'c', 10_000)
    const hourAhead = Date.now() + 3_600_000
    await a.player.win('x')
    await b.player.queue('x', 'a')
    await operator.zadd(`${root}:sessions`, hourAhead + 1_000, a.player.id)
    await operator.zadd(`${root}:renewed`, hourAhead, a.player.id)
    const { nextExpiryInMs } = await b.player.renewed()
    expect(nextExpiryInMs).toBeLessThanOrEqual(1_000)
    await pause(1_010)
    await c.player.renewed()
    expect((await b.player.inbox()).freed).toEqual(['x'])
    await operator.zadd(`${root}:offers`, hourAhead, 'x')
    await c.player.renewed()
    expect(Number(await operator.zscore(`${root}:offers`, 'x'))).toBeLessThanOrEqual(Date.now() + 20_000)
  })

  it('does not make a quarantine longer', async () => {
    const server = await start()
    const { player } = await enter(server, 'a', 5_000)
    await admin(server).hset(root, 'grantsFrom', Date.now() + 3_600_000)
    const answer = await player.campaign('x')
    expect(answer.kind === 'quarantined' && answer.retryInMs).toBeLessThanOrEqual(5_000)
  })
})

describe('a server that has forgotten', () => {
  it('twice, back to the same backup, still names an epoch that nobody has heard', async () => {
    const server = await start({ persistent: true })
    const a = await enterGranting(server, 'a', 5_000)
    await a.player.win('old')
    const backup = server.backup()
    await server.restart('kept')
    await answering(a.connection)
    expect((await a.player.renewed()).epoch).toBe(2)
    await admin(server).hset(root, 'grantsFrom', 0)
    await a.player.win('forgotten')
    await server.restart({ backup })
    const b = await enter(server, 'b')
    expect(b.player.epoch).toBe(2)
    await answering(a.connection)
    const { epoch, holds } = await a.player.renewed()
    expect(epoch).toBe(3)
    expect(holds?.map(({ lease }) => lease)).toEqual(['old'])
    expect((await a.player.renewed()).holds).toBeUndefined()
  })

  it('because it was a replica grants nothing at first to a namespace that it has never seen', async () => {
    const master = await start({ args: ['--repl-diskless-sync-delay', '0'] })
    const replica = await start()
    const operator = admin(replica)
    await operator.replicaof('127.0.0.1', master.port)
    await until('it is in sync', async () => (await operator.info('replication')).includes('master_link_status:up'))
    await operator.replicaof('NO', 'ONE')
    await pause(1_100)
    const { player } = await enter(replica, 'a', 100)
    expect((await player.campaign('x')).kind).toBe('quarantined')
  })

  it('nothing, but is new to a namespace, grants at once', async () => {
    const server = await start()
    await pause(1_300)
    const { player } = await enter(server, 'a', 100)
    await player.win('x')
  })
})

describe('a cluster', () => {
  it('has all keys of a namespace in one slot, and passes the hints on between its nodes', async () => {
    const busPorts = [await freePort(), await freePort()]
    const nodes = await Promise.all(
      busPorts.map((port) => start({ args: ['--cluster-enabled', 'yes', '--cluster-port', `${port}`] })),
    )
    const [first, second] = nodes.map(admin)
    await first!.call('CLUSTER', 'ADDSLOTSRANGE', 0, 8_191)
    await second!.call('CLUSTER', 'ADDSLOTSRANGE', 8_192, 16_383)
    await first!.call('CLUSTER', 'MEET', '127.0.0.1', nodes[1]!.port, busPorts[1]!)
    for (const node of [first!, second!]) {
      await until('the cluster is up', async () => {
        const info = await node.cluster('INFO')
        return info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:2')
      })
    }
    const cluster = new Redis.Cluster([{ host: '127.0.0.1', port: nodes[0]!.port }], { lazyConnect: true })
    const clients = await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        // While it learns of the nodes, a client of ioredis may hang up on a command: an open with an unknown outcome is repeated.
        const opened = await firstOf(OPENINGS, () => openClient(redis(cluster), namespace, { node: `n${index}` }))
        cleanUps.push(() => opened.connection.close())
        return opened
      }),
    )
    const [holder, ...others] = clients
    const owner = (await first!.exists(root).catch(() => 0)) === 1 ? first! : second!
    await owner.hset(root, 'grantsFrom', 0)
    let token = await holder!.player.win('x')
    for (const { player } of others) await player.queue('x', 'n0')
    let last = holder!
    // Each of them listens at a node of its own choice.
    for (const next of others) {
      await last.player.free('x', token)
      await until('the hint', () => next.player.takeLeaseHint('x'))
      token = await next.player.win('x')
      last = next
    }
    for (const { player } of clients) await player.enroll('g', 4)
    const slots = new Set<unknown>()
    for (const key of await owner.keys('*')) slots.add(await owner.cluster('KEYSLOT', key))
    expect(slots.size).toBe(1)
    await first!.script('FLUSH')
    await second!.script('FLUSH')
    await last.player.renewed()
    expect(cluster.status).toBe('wait')
  }, 20_000)
})

async function pause(ms: number): Promise<false> {
  await new Promise((resolve) => setTimeout(resolve, ms))
  return false
}

const OPENINGS = 3

/** The first answer of up to this many attempts. */
async function firstOf<T>(attempts: number, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt()
  } catch (error) {
    if (attempts <= 1) throw error
    return firstOf(attempts - 1, attempt)
  }
}
