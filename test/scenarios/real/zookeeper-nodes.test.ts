/** What becomes of an election on a ZooKeeper server when something happens to one of its nodes. */
import { describe, expect } from 'vitest'
import { isZooKeeperMissing } from '../../support/zookeeper-server.ts'
import { readTree } from '../../support/zookeeper-tree.ts'
import { nodeScenarios } from './nodes.ts'
import { LEASE_MS, startProcesses, zooKeeperServer } from './stage.ts'

const TICK_MS = 200

startProcesses(3)

describe.skipIf(isZooKeeperMissing)('nodes on ZooKeeper', () => {
  const server = zooKeeperServer({ tickTimeMs: TICK_MS })

  nodeScenarios({
    url: () => server().url,
    failoverMs: LEASE_MS * 1.1 + 2 * TICK_MS,
    dump: async () => JSON.stringify([...(await readTree(server().port))]),
    async expectNothingOf(namespace) {
      const root = `/simba/${namespace}`
      const parents = ['sessions', 'holders', 'lines', 'groups'].map((name) => `${root}/${name}`)
      const left = [...(await readTree(server().port, root)).keys()]
      expect(left.sort()).toEqual([root, ...parents].sort())
    },
  })
})
