/** What becomes of an election on a Redis server when something happens to one of its nodes. */
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { nodeScenarios } from './nodes.ts'
import { dump } from './redis-dump.ts'
import { isRedisMissing, LEASE_MS, redisServer, startProcesses } from './stage.ts'

startProcesses(3)

describe.skipIf(isRedisMissing)('nodes on Redis', () => {
  const server = redisServer()
  let redis: Redis
  beforeAll(() => {
    redis = new Redis(server().url)
  })
  afterAll(() => redis?.disconnect())

  nodeScenarios({
    url: () => server().url,
    failoverMs: LEASE_MS * 1.1,
    dump: () => dump(redis),
    async expectNothingOf(namespace) {
      // The one that remembers the last token.
      expect(await redis.keys(`*${namespace}*`)).toEqual([`simba:{${namespace}}`])
      expect(await redis.pubsub('CHANNELS')).toEqual([])
      const connections = String(await redis.client('LIST'))
      expect(connections.trim().split('\n')).toHaveLength(1)
    },
  })
})
