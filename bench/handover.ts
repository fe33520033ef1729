/**
 * How long nobody leads: from a clean stop of the leader to the next term, against a round trip or a poll; and from kill -9 of its process,
 * against the lease duration. Three real processes on a real store.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { Cluster } from '../test/scenarios/real/cluster.ts'
import { findFaults } from '../test/scenarios/real/judge.ts'
import { machineMs } from '../test/scenarios/real/orders.ts'
import { Pool } from '../test/scenarios/real/pool.ts'
import { RedisServer } from '../test/support/redis-server.ts'

const HANDOVERS = 50
const FAILOVERS = 5
const ROUND_TRIPS = 50
const LEASE_MS = 3_000
const RENEW_MS = 1_000
/** What SQLite is looked into with by default. */
const POLL_MS = 100

const folder = mkdtempSync(join(tmpdir(), 'simba-bench-'))
const server = await RedisServer.start()
const pool = new Pool('production')
pool.start(3)
try {
  const roundTripMs = await measureRoundTrip()
  console.table({
    redis: {
      ...(await measure(server.url, roundTripMs)),
      unit: `${roundTripMs.toFixed(2)} ms, a round trip after a rest`,
    },
    sqlite: {
      ...(await measure(`sqlite:${join(folder, 'leases.db')}`, POLL_MS)),
      unit: `${POLL_MS} ms, a poll interval`,
    },
  })
} finally {
  await pool.dispose()
  await server.dispose()
  rmSync(folder, { recursive: true, force: true })
}

async function measure(backend: string, unitMs: number) {
  const nodes = new Cluster(pool, { backend, leaseDurationMs: LEASE_MS, renewIntervalMs: RENEW_MS, elections: ['x'] })
  await nodes.start('a', 'b', 'c')
  const handovers = await measureHandovers(nodes)
  const failovers = await measureFailovers(nodes)
  const faults = findFaults(nodes.lines)
  await nodes.dispose()
  if (faults.length > 0) throw new Error(faults.join('\n'))
  return {
    'handover, median ms': Number(median(handovers).toFixed(2)),
    'max ms': Number(Math.max(...handovers).toFixed(2)),
    'median in units': Number((median(handovers) / unitMs).toFixed(1)),
    'failover, median ms': Math.round(median(failovers)),
    'max ms ': Math.round(Math.max(...failovers)),
    'max in leases': Number((Math.max(...failovers) / LEASE_MS).toFixed(2)),
  }
}

/** From the interrupt of the work, which leaves at once, to the next term. */
async function measureHandovers(nodes: Cluster): Promise<readonly number[]> {
  const tookMs: number[] = []
  let leader = await nodes.led('x')
  while (tookMs.length < HANDOVERS) {
    await nodes.order(leader.node, { do: 'retire', lease: 'x' })
    const next = await nodes.led('x', { after: leader })
    tookMs.push(next.startedMs - leader.revokedMs!)
    await nodes.order(leader.node, { do: 'contend', leases: ['x'] })
    leader = next
    // In line, and at another point of the polls.
    await sleep(50 + Math.random() * POLL_MS)
  }
  return tookMs
}

/** From the signal to the next term, at any point between two renewals. */
async function measureFailovers(nodes: Cluster): Promise<readonly number[]> {
  const tookMs: number[] = []
  while (tookMs.length < FAILOVERS) {
    const leader = await nodes.led('x')
    await sleep(RENEW_MS + Math.random() * RENEW_MS)
    nodes.node(leader.node).kill()
    const killedMs = machineMs()
    const next = await nodes.led('x', { after: leader })
    tookMs.push(next.startedMs - killedMs)
    await nodes.start(`replacement ${tookMs.length}`)
  }
  return tookMs
}

/** On a connection that had nothing to do before, as that of a node that leads: a process that is awake already takes a tenth of it. */
async function measureRoundTrip(): Promise<number> {
  const redis = new Redis(server.url)
  const tookMs: number[] = []
  while (tookMs.length < ROUND_TRIPS) {
    await sleep(50)
    const sentMs = performance.now()
    await redis.ping()
    tookMs.push(performance.now() - sentMs)
  }
  redis.disconnect()
  return median(tookMs)
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[sorted.length >> 1]!
}
