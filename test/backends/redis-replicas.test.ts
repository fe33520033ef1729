/** What `replicas` promises: nothing is relied on that a promoted replica might not know. */
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { redis } from '../../src/backends/redis/index.ts'
import { RedisServer } from '../support/redis-server.ts'
import { type Client, freshNamespace, openClient } from '../support/store-client.ts'

/** A command has so long; replicas have half of it. */
const COMMAND_MS = 1_000

const unavailable = expect.objectContaining({
  code: 'BACKEND_UNAVAILABLE',
  message: 'Redis: only 0 of 1 replicas have it',
})

let namespace: string
let primary: RedisServer
let replica: RedisServer
let operator: Redis
let opened: Client | undefined

beforeEach(async () => {
  namespace = freshNamespace()
  primary = await RedisServer.start()
  replica = await RedisServer.start({ args: ['--replicaof', '127.0.0.1', `${primary.port}`] })
  operator = new Redis(primary.url)
  // Where nothing was written yet, a replica counts that is still being filled.
  await operator.set('ready', 1)
  expect(await operator.wait(1, 10_000)).toBe(1)
})
afterEach(async () => {
  replica.thaw()
  await opened?.connection.close()
  operator.disconnect()
  await Promise.all([primary.dispose(), replica.dispose()])
})

const open = async (url: string) => {
  opened = await openClient(redis(url, { commandTimeout: COMMAND_MS }), namespace)
  // So that the server, which is young, grants at once.
  await operator.hset(`simba:{${namespace}}`, 'grantsFrom', 0)
  return opened.player
}

describe('with a replica to be waited for', () => {
  test('a grant that was answered is on the replica', async () => {
    const player = await open(`${primary.url}?replicas=1`)
    const token = await player.win('x')
    await primary.kill()
    const other = new Redis(replica.url)
    expect(JSON.stringify(await other.hgetall(`simba:{${namespace}}`))).toContain(`${token}`)
    other.disconnect()
  })

  test('sessions, renewals and grants are rejected while it does not answer; losing, leaving and giving back are not', async () => {
    const player = await open(`${primary.url}?replicas=1`)
    const token = await player.win('x')
    const options = { commandTimeout: COMMAND_MS, replicas: 1 }
    replica.freeze()
    await expect(player.campaign('y')).rejects.toThrow(unavailable)
    await expect(player.renew()).rejects.toThrow(unavailable)
    await expect(openClient(redis(primary.url, options), namespace)).rejects.toThrow(unavailable)
    await player.free('x', token)
    expect(await player.withdraw('y')).toMatchObject({ kind: 'withdrawn' })
    replica.thaw()
    expect(await player.renew()).toMatchObject({ kind: 'renewed' })
    // The connection was never given up.
    expect(opened!.log.filter(({ level }) => level === 'warn')).toEqual([])
  })
})

test('without, a replica is nobody that anything waits for', async () => {
  const player = await open(primary.url)
  replica.freeze()
  await player.win('x')
})

test('what cannot be a number of replicas is refused, and so is a Cluster, whose nodes cannot be waited for', () => {
  const refused = expect.objectContaining({ code: 'INVALID_OPTION' })
  for (const replicas of [-1, 0.5, 17, Number.NaN]) expect(() => redis(primary.url, { replicas })).toThrow(refused)
  expect(() => redis(`${primary.url}?replicas=many`)).toThrow(refused)
  const cluster = new Redis.Cluster([primary.port], { lazyConnect: true })
  expect(() => redis(cluster, { replicas: 1 })).toThrow(refused)
  expect(() => redis(cluster)).not.toThrow()
  cluster.disconnect()
})
