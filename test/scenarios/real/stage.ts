/** What the scenarios of one file share: processes that are started ahead, and nodes and servers that go away with each test. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, onTestFailed } from 'vitest'
import { RedisServer, type RedisServerOptions } from '../../support/redis-server.ts'
import { ZooKeeperEnsemble, type ZooKeeperOptions, ZooKeeperServer } from '../../support/zookeeper-server.ts'
import { Cluster, type ClusterOptions } from './cluster.ts'
import { Pool } from './pool.ts'

export const isRedisMissing = (process.env.SIMBA_MISSING_SERVERS ?? '').split(',').includes('redis-server')

/**
 * Long enough for a busy machine, on which a process now and then stands still for half a second; short enough to be waited for.
 */
export const LEASE_MS = 2_000
export const RENEW_MS = 500

/** So slow that a lease which is found within a second was not found by a renewal. */
export const SLOW = { leaseDurationMs: 12_000, renewIntervalMs: 5_000 }

/** What a busy machine may add to anything. */
export const NOISE_MS = 1_000

const pool = new Pool()
afterAll(() => pool.dispose())

/** As many as the file's largest scenario needs, while its servers start. */
export function startProcesses(count: number): void {
  pool.start(count)
}

// In this order: nodes are stopped while there is still a store to tell.
const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/**
 * A server that is started with the file and serves all tests that call for it, each with a namespace of its own. Started early, since
 * one that is younger than the lease duration grants nothing yet.
 */
export function redisServer(options?: RedisServerOptions): () => RedisServer {
  let server: RedisServer | undefined
  beforeAll(async () => {
    server = await RedisServer.start(options)
  })
  // Before its nodes are stopped.
  afterEach(() => server?.thaw())
  afterAll(() => server?.dispose())
  return () => server!
}

/** Likewise; this one grants at once. */
export function zooKeeperServer(options?: ZooKeeperOptions): () => ZooKeeperServer {
  let server: ZooKeeperServer | undefined
  beforeAll(async () => {
    server = await ZooKeeperServer.start(options)
  })
  afterEach(() => server?.thaw())
  afterAll(() => server?.dispose())
  return () => server!
}

/** Three of them that know each other. */
export function zooKeeperEnsemble(options?: ZooKeeperOptions): () => ZooKeeperEnsemble {
  let ensemble: ZooKeeperEnsemble | undefined
  beforeAll(async () => {
    ensemble = await ZooKeeperEnsemble.start(options)
  })
  afterEach(() => ensemble?.mend())
  afterAll(() => ensemble?.dispose())
  return () => ensemble!
}

/** The URL of a file that does not exist yet. */
export function sqliteFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'simba-real-'))
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }))
  return `sqlite:${join(folder, 'leases.db')}`
}

export function cluster(
  options: Omit<ClusterOptions, 'leaseDurationMs' | 'renewIntervalMs'> & Partial<ClusterOptions>,
): Cluster {
  const made = new Cluster(pool, { leaseDurationMs: LEASE_MS, renewIntervalMs: RENEW_MS, ...options })
  cleanUps.push(() => made.dispose())
  onTestFailed(() => console.info(made.tail()))
  return made
}

/** What a scenario found out about time, for whoever reads the tests' output: how long it takes is for the benchmarks to say. */
export function report(what: string, ms: number): void {
  console.info(`${what}: ${ms.toFixed(1)} ms`)
}
