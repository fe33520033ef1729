/** What a node costs a Redis server in steady state, by the server's own count: one command per renew interval, whatever it leads. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { type Cluster, PATIENCE_MS } from './cluster.ts'
import { findFaults } from './judge.ts'
import { machineMs } from './orders.ts'
import { cluster, isRedisMissing, redisServer, startProcesses } from './stage.ts'

// Five hundred at once keep a busy machine for a second or more.
const LEASE_MS = 5_000
const RENEW_MS = 200
const WATCHED_MS = 1_500
const MANY = 500

startProcesses(2)

describe.skipIf(isRedisMissing)('a Redis server counts', () => {
  const server = redisServer()

  test(`one command per node and renew interval, where one leads and another one waits: for 1 election as for ${MANY}`, async () => {
    const elections = Array.from({ length: MANY }, (_, number) => `election-${number}`)
    const nodes = cluster({ backend: server().url, leaseDurationMs: LEASE_MS, renewIntervalMs: RENEW_MS })
    await nodes.start('leader', 'candidate')
    const redis = new Redis(server().url)
    for (const leases of [elections.slice(0, 1), elections.slice(1)]) {
      await nodes.order('leader', { do: 'contend', leases })
      await nodes.allLed(leases, { by: 'leader' })
      await nodes.order('candidate', { do: 'contend', leases })
      const count = nodes.reigns.length
      await allInLine(redis, nodes, count)

      await redis.config('RESETSTAT')
      const sinceMs = machineMs()
      await sleep(WATCHED_MS)
      const calls = callsOf(await redis.info('commandstats'))
      const intervals = (machineMs() - sinceMs) / RENEW_MS
      console.info(
        `${count} elections, two nodes: ${calls.evalsha} commands in ${intervals.toFixed(1)} renew intervals`,
      )
      expect(calls.evalsha).toBeLessThanOrEqual(2 * (intervals + 1))
      expect(calls.evalsha).toBeGreaterThan(intervals / 2)
      // Everything else was said by the scripts.
      expect(Object.keys(calls).filter((name) => OUTSIDE_OF_SCRIPTS.test(name))).toEqual(['evalsha'])
    }
    redis.disconnect()
    expect(findFaults(nodes.lines)).toEqual([])
  })
})

/** Each campaign of the candidate is answered, and both have renewed since. */
async function allInLine(redis: Redis, nodes: Cluster, count: number): Promise<void> {
  const places = async () => (await redis.keys(`simba:{${nodes.namespace}}:line:*`)).length
  await expect.poll(places, { timeout: PATIENCE_MS, interval: RENEW_MS }).toBe(count)
  await nodes.renewedSince(machineMs())
}

const OUTSIDE_OF_SCRIPTS =
  /^(eval|script|ping|hello|auth|client|subscribe|unsubscribe|publish|multi|exec|fcall|get|set)/

function callsOf(stats: string): Readonly<Record<string, number>> {
  const found = [...stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)]
  return Object.fromEntries(found.map(([, name, calls]) => [name!, Number(calls)]))
}
