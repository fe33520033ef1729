/** Whatever several clients ask of it, late and repeated commands included, each store does what the model says. */
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe } from 'vitest'
import { freshFile } from '../backends/sqlite/stage.ts'
import { duels } from '../simulation/side-by-side/duels.ts'
import { memoryContestant, memoryTempo } from '../simulation/side-by-side/memory.ts'
import { redisContestant, redisTempo } from '../simulation/side-by-side/redis.ts'
import { sqliteContestant, sqliteTempo } from '../simulation/side-by-side/sqlite.ts'
import { LONGEST_SESSION_MS, zookeeperContestant, zookeeperTempo } from '../simulation/side-by-side/zookeeper.ts'
import { RedisServer } from '../support/redis-server.ts'
import { isZooKeeperMissing, ZooKeeperServer } from '../support/zookeeper-server.ts'

describe('each store does what the model says', () => {
  duels('in memory', { tempo: memoryTempo, contestant: memoryContestant, commands: 60, runs: 400 })

  const file = freshFile()
  duels('in an SQLite file', { tempo: sqliteTempo, contestant: () => sqliteContestant(file), commands: 60, runs: 30 })

  let server: RedisServer
  let operator: Redis
  beforeAll(async () => {
    server = await RedisServer.start({ persistent: true })
    operator = new Redis(server.port)
    operator.on('error', () => {})
  })
  afterAll(async () => {
    operator.disconnect()
    await server.dispose()
  })
  duels('in Redis', { tempo: redisTempo, contestant: () => redisContestant(server, operator), commands: 40, runs: 12 })
})

describe.skipIf(isZooKeeperMissing)('a store whose time nobody can move does so, too', () => {
  let server: ZooKeeperServer
  beforeAll(async () => {
    server = await ZooKeeperServer.start({ maxSessionTimeoutMs: LONGEST_SESSION_MS })
  })
  afterAll(() => server.dispose())
  duels('in ZooKeeper', {
    tempo: zookeeperTempo,
    contestant: () => zookeeperContestant(server),
    commands: 40,
    runs: 16,
  })
})
