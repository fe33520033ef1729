/** What becomes of a Redis client when its server, or the way there, does not behave. Each fault is made with a real server. */
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { NotSentError } from '../../src/backends/port.ts'
import { makeClients } from '../../src/backends/redis/driver.ts'
import { redis } from '../../src/backends/redis/index.ts'
import { expectNothingLeftBy } from '../support/leftovers.ts'
import { RedisServer, type RedisServerOptions } from '../support/redis-server.ts'
import { answering, type Client, client, freshNamespace, openClient, until } from '../support/store-client.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'

/** Short, so that silence is noticed within a test. */
const SILENCE = { commandTimeout: 250, connectTimeout: 250 }

const cleanUps: (() => Promise<unknown>)[] = []
let namespace: string
let server: RedisServer

beforeEach(async () => {
  namespace = freshNamespace()
  server = await start()
})
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function start(options?: RedisServerOptions): Promise<RedisServer> {
  const started = await RedisServer.start(options)
  cleanUps.push(() => started.dispose())
  return started
}

async function proxy(target: RedisServer): Promise<TcpProxy> {
  const started = await TcpProxy.start(target.port)
  cleanUps.push(() => started.dispose())
  return started
}

/** An open session in a namespace that this server knows well, so that it grants at once. */
async function granting(url: string): Promise<Client> {
  const opened = await openClient(redis(url, SILENCE), namespace)
  cleanUps.push(() => opened.connection.close())
  const operator = new Redis(url)
  await operator.hset(`simba:{${namespace}}`, 'grantsFrom', 0)
  operator.disconnect()
  return opened
}

function admin(target: RedisServer): Redis {
  const made = new Redis(target.port, { retryStrategy: () => null, maxRetriesPerRequest: 0 })
  made.on('error', () => {})
  cleanUps.push(async () => made.disconnect())
  return made
}

const unavailable = expect.objectContaining({ code: 'BACKEND_UNAVAILABLE' })

describe('the way to the server', () => {
  it('is not needed for connecting: calls wait for the first attempt, and for its end only', async () => {
    const near = client(redis(server.url), namespace)
    cleanUps.push(() => near.connection.close())
    expect(await near.connection.leaders(['x'])).toEqual([null])
    await server.kill()
    const far = client(redis(server.url), namespace)
    cleanUps.push(() => far.connection.close())
    // Nothing was sent, so that nobody need close what was never opened.
    await expect(far.player.open()).rejects.toBeInstanceOf(NotSentError)
    await expect(far.connection.leaders(['x'])).rejects.toEqual(unavailable)
    await server.start()
    await until('the hint that the server is there', () => far.hinted.includes('connected'))
    await answering(far.connection)
    expect(far.hinted).not.toContain('disconnected')
  })

  it('is lost: hints say so, and calls are rejected at once', async () => {
    const { connection, player, hinted } = await granting(server.url)
    await server.kill()
    await until('the hint of the loss', () => hinted.includes('disconnected'))
    const before = performance.now()
    for (let call = 0; call < 100; call++) await expect(player.renew()).rejects.toEqual(unavailable)
    // A single one that waited for the server would take as long as its deadline.
    expect(performance.now() - before).toBeLessThan(10_000)
    await server.start()
    await until('the hint of the return', () => hinted.includes('connected'))
    await answering(connection)
    expect(hinted.filter((type) => type === 'disconnected')).toHaveLength(1)
  })

  it('is found again, and the hints with it', async () => {
    const persistent = await start({ persistent: true })
    const a = await granting(persistent.url)
    const b = await granting(persistent.url)
    const token = await a.player.win('x')
    await b.player.queue('x', 'a')
    await persistent.restart('kept')
    await Promise.all([answering(a.connection), answering(b.connection)])
    const again = admin(persistent)
    await until('b listens again', async () => (await listeners(again, b)) === 1)
    expect(await a.player.release('x', token)).toEqual({ kind: 'released' })
    await until('the hint', () => b.player.takeLeaseHint('x'))
  })

  it('falls silent for the hints alone: the inbox still has what was missed', async () => {
    const way = await proxy(server)
    const a = await granting(server.url)
    const b = await granting(way.url)
    const token = await a.player.win('x')
    await b.player.queue('x', 'a')
    const release = way.hold()
    const silence = b.player.renew()
    await expect(silence).rejects.toEqual(unavailable)
    await expect(silence).rejects.not.toBeInstanceOf(NotSentError)
    // It is not waited for that the other connection is found to be dead, too: both are new.
    const operator = admin(server)
    await until('b listens again, besides its former self', async () => (await listeners(operator, b)) === 2)
    await answering(b.connection)
    expect(b.hinted).toContain('connected')
    await a.player.free('x', token)
    await until('the hint', () => b.player.takeLeaseHint('x'))
    expect((await b.player.inbox()).freed).toEqual(['x'])
    release()
  })

  it('lets a command through after it was given up and withdrawn: it does nothing', async () => {
    const way = await proxy(server)
    const { connection, player } = await granting(way.url)
    const release = way.hold()
    await expect(player.campaign('x', 100)).rejects.toEqual(unavailable)
    await answering(connection)
    expect(await player.withdraw('x', 101)).toEqual({ kind: 'withdrawn' })
    const watcher = admin(server)
    const before = await calls(watcher, 'evalsha|eval')
    release()
    await until('the late campaign has come', async () => (await calls(watcher, 'evalsha|eval')) > before)
    expect(await connection.leaders(['x'])).toEqual([null])
    expect(await player.campaign('x', 100)).toEqual({ kind: 'stale' })
  })

  it('ends at a frozen server: what it was given is done when it thaws, and can be withdrawn', async () => {
    const { connection, player } = await granting(server.url)
    server.freeze()
    const before = performance.now()
    await expect(player.campaign('x', 100)).rejects.toEqual(unavailable)
    expect(performance.now() - before).toBeLessThan(1_000)
    await expect(player.renew()).rejects.toEqual(unavailable)
    server.thaw()
    await answering(connection)
    // Done behind our back: the reason why an unknown outcome is settled before anything else.
    await until('the late campaign has come', async () => (await connection.leaders(['x']))[0] !== null)
    expect(await player.withdraw('x', 101)).toEqual({ kind: 'withdrawn' })
    expect(await connection.leaders(['x'])).toEqual([null])
  })

  it('falls silent on many calls at once: they are rejected, and the connection is given up once', async () => {
    const way = await proxy(server)
    const { connection } = await granting(way.url)
    const warnings: string[] = []
    const onWarning = ({ name }: Error) => void warnings.push(name)
    process.on('warning', onWarning)
    way.hold()
    const calls = await Promise.allSettled(Array.from({ length: 30 }, () => connection.leaders(['x'])))
    for (const call of calls) expect(call).toEqual({ status: 'rejected', reason: unavailable })
    await answering(connection)
    process.off('warning', onWarning)
    expect(warnings).toEqual([])
  })

  it('leads to a replica: that is a connection fault, until the server is a master again', async () => {
    const { player, hinted } = await granting(server.url)
    const other = await start()
    const operator = admin(server)
    await operator.replicaof('127.0.0.1', other.port)
    await expect(player.renew()).rejects.toEqual(unavailable)
    await until('the hint of the loss', () => hinted.includes('disconnected'))
    await operator.replicaof('NO', 'ONE')
    await until('it can be written again', () =>
      player.renew().then(
        () => true,
        () => false,
      ),
    )
  })
})

describe('a server', () => {
  it('may forget the scripts at any time', async () => {
    const { player } = await granting(server.url)
    const operator = admin(server)
    for (let round = 0; round < 3; round++) {
      await operator.script('FLUSH')
      await player.renewed()
      await player.free('x', await player.win('x'))
    }
  })

  it('is emptied: its sessions are over, and new ones go on with greater tokens', async () => {
    const { player } = await granting(server.url)
    const token = await player.win('x')
    await admin(server).flushall()
    expect(await player.renew()).toEqual({ kind: 'unknown' })
    expect(await player.campaign('x')).toEqual({ kind: 'unknown' })
    await expect(player.session.open()).rejects.toEqual(unavailable)
    expect(await (await granting(server.url)).player.campaign('x')).toEqual({
      kind: 'granted',
      token: expect.any(Number),
    })
    const [leader] = await (await granting(server.url)).connection.leaders(['x'])
    expect(leader?.token).toBeGreaterThan(token)
  })

  it('that evicts is warned about, once', async () => {
    const evicting = await start({ args: ['--maxmemory-policy', 'allkeys-lru'] })
    const { log, connection, player } = await granting(evicting.url)
    const warnings = () => log.filter(({ message }) => message.includes('maxmemory-policy'))
    await until('the warning', () => warnings().length === 1)
    await evicting.restart('lost')
    await answering(connection)
    await player.renew()
    expect(warnings()).toHaveLength(1)
  })

  it('that does not tell its run is warned about, and grants after the longest possible wait', async () => {
    const secretive = await start({ args: ['--rename-command', 'INFO', ''] })
    const opened = await openClient(redis({ port: secretive.port, enableReadyCheck: false }), namespace, {
      leaseDurationMs: 1_000,
    })
    cleanUps.push(() => opened.connection.close())
    await until('the warning', () => opened.log.some(({ message }) => message.includes('run_id')))
    const answer = await opened.player.campaign('x')
    expect(answer).toEqual({ kind: 'quarantined', retryInMs: expect.any(Number) })
    await opened.player.renewed()
  })

  it('does not see more than one command per renewal, however many leases there are', async () => {
    const { player } = await granting(server.url)
    for (let lease = 0; lease < 500; lease++) await player.win(`lease.${lease}`)
    await player.renewed()
    const seen = await monitor(server)
    for (let round = 0; round < 10; round++) await player.renewed()
    await admin(server).echo('the end')
    await until('everything was seen', () => seen.some((line) => line.includes('the end')))
    const fromTheNode = seen.slice(0, 10).map((line) => line.match(/\[0 [^\]]*\] "(\w+)"/)?.[1])
    expect(fromTheNode).toEqual(Array.from({ length: 10 }, () => 'evalsha'))
  })
})

describe('a client of ioredis', () => {
  it('that is handed in is copied, and neither used nor closed', async () => {
    const given = new Redis(server.port, { lazyConnect: true, maxRetriesPerRequest: 7 })
    const opened = await openClient(redis(given), namespace)
    await opened.player.renewed()
    await opened.player.session.close()
    expect(await admin(server).pubsub('CHANNELS', `simba:{${namespace}}*`)).toEqual([])
    await opened.connection.close()
    expect(given.status).toBe('wait')
    expect(given.options.maxRetriesPerRequest).toBe(7)
    await given.connect()
    expect(await given.ping()).toBe('PONG')
    given.disconnect()
  })

  it('with a key prefix keeps all keys and channels below it', async () => {
    const a = await openClient(redis(new Redis(server.port, { lazyConnect: true, keyPrefix: 'app:' })), namespace)
    const b = await openClient(redis({ port: server.port, keyPrefix: 'app:' }), namespace)
    cleanUps.push(
      () => a.connection.close(),
      () => b.connection.close(),
    )
    await a.player.enroll('g', 4)
    await b.player.enroll('g', 4)
    await until('the hint', () => a.player.takeGroupHint('g'))
    const keys = await admin(server).keys('*')
    expect(keys.every((key) => key.startsWith(`app:simba:{${namespace}}`))).toBe(true)
  })

  it('is loaded when it is needed, and its absence told by name', async () => {
    const missing = () => Promise.reject(new Error('Cannot find package ioredis'))
    await expect(
      makeClients('redis://127.0.0.1:1', undefined, { silenceMs: 1_000, random: Math.random }, missing),
    ).rejects.toMatchObject({
      code: 'DRIVER_MISSING',
      message: expect.stringContaining('npm install ioredis'),
    })
  })

  it('is not made from anything', () => {
    const refused = expect.objectContaining({ code: 'INVALID_OPTION' })
    const make = redis as (...args: unknown[]) => ReturnType<typeof redis>
    for (const args of [[''], [7], [null], [undefined], [[]], [{}, { host: 'x' }], ['redis://x', 7]]) {
      expect(() => make(...args), JSON.stringify(args)).toThrow(refused)
    }
    for (const name of ['', 'a{b', 'a}b']) expect(() => client(redis(server.url), name)).toThrow(refused)
  })
})

describe('after close, nothing is left', () => {
  const cases = {
    'of a session': 'await session.open(); await session.renew({ settled: 0, epoch: 1 }); await session.close()',
    'of an open session': 'await session.open()',
    'of a connection that was never used': '',
    'of a connection that was closed at once': 'await connection.close()',
    'of a server that is not there': 'await session.open().catch(() => {})',
    'of a server that is frozen': 'session.open().catch(() => {}); await new Promise((r) => setTimeout(r, 100))',
  }
  for (const [what, code] of Object.entries(cases)) {
    it(what, async () => {
      if (what.includes('not there')) await server.kill()
      if (what.includes('frozen')) server.freeze()
      await expectNothingLeftBy({ backend: 'redis', url: server.url, namespace, code })
    }, 20_000)
  }
})

/** The commands that come to the server from now on, without those that scripts call. By hand: ioredis trips over its own monitor. */
async function monitor(target: RedisServer): Promise<string[]> {
  const seen: string[] = []
  const socket = connect(target.port, '127.0.0.1', () => socket.write('MONITOR\r\n'))
  cleanUps.push(async () => socket.destroy())
  createInterface({ input: socket }).on('line', (line) => {
    if (!line.includes(' lua] ')) seen.push(line)
  })
  await until('it watches', () => seen.shift() === '+OK')
  return seen
}

/** How many connections listen to what this client should hear. */
async function listeners(watcher: Redis, { player }: Pick<Client, 'player'>): Promise<unknown> {
  const [, count] = (await watcher.pubsub('NUMSUB', `simba:{${namespace}}:hints:${player.id}`)) as unknown[]
  return count
}

async function calls(watcher: Redis, commands: string): Promise<number> {
  const lines = (await watcher.info('commandstats')).matchAll(new RegExp(`cmdstat_(?:${commands}):calls=(\\d+)`, 'g'))
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0)
}
