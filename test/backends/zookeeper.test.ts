/** The ZooKeeper store keeps the contract of all backends, on a real server. What is its own is in the files beside this one. */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contractCases } from '../../src/backends/contract.ts'
import { zookeeper } from '../../src/backends/zookeeper/index.ts'
import { isZooKeeperMissing, ZooKeeperServer } from '../support/zookeeper-server.ts'
import { rawClient } from '../support/zookeeper-tree.ts'
import { SKIPPED } from './zookeeper-skipped.ts'

const TIMEOUT_MS = 60_000
/** Sessions run out at multiples of it, which is less than the contract's slack of a fiftieth of the lease duration. */
const TICK_MS = 20
const LEASE_MS = 2_000

// Nearly all of their time is waiting for real sessions to run out, and each has a namespace of its own.
describe.skipIf(isZooKeeperMissing).concurrent('the ZooKeeper store', () => {
  let server: ZooKeeperServer
  beforeAll(async () => {
    server = await ZooKeeperServer.start({ tickTimeMs: TICK_MS })
    // Its first session takes it far longer than any other.
    await (await rawClient(server.port)).end()
  })
  afterAll(() => server.dispose())

  for (const { name, needs, run } of contractCases) {
    // An ensemble keeps its memory: what becomes of its crashes is tried by itself.
    if (needs === 'restart') continue
    const test = async () => {
      await run({
        backend: () => zookeeper(server.url),
        // The server rounds up, and ends a session by a transaction of its own.
        pass: (ms) => sleep(ms === 0 ? 1 : ms + 2 * TICK_MS),
        leaseDurationMs: LEASE_MS,
      })
    }
    const reason = SKIPPED[name]
    if (reason === undefined) it(name, test, TIMEOUT_MS)
    else it(name, ({ skip }) => skip(reason))
  }
})

describe('what ZooKeeper cannot pass', () => {
  it('is among the cases of the contract, and stands in the documents with its reason', () => {
    const docs = readFileSync(new URL('../../docs/backends.md', import.meta.url), 'utf8')
    const names = contractCases.map(({ name }) => name)
    for (const [name, reason] of Object.entries(SKIPPED)) {
      expect(names).toContain(name)
      expect(docs).toContain(`| ${name} | ${reason} |`)
    }
  })
})
