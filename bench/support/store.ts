/** The store of a benchmark, by name: with a server of its own where it needs one. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memory } from 'simba-xstate/memory'
import { redis } from 'simba-xstate/redis'
import { sqlite } from 'simba-xstate/sqlite'
import { zookeeper } from 'simba-xstate/zookeeper'
import type { Backend } from '../../src/backends/port.ts'
import { RedisServer } from '../../test/support/redis-server.ts'
import { ZooKeeperServer } from '../../test/support/zookeeper-server.ts'

export interface BenchStore {
  /** One for each client, as if it were a process of its own. */
  readonly backend: () => Backend
  readonly dispose: () => Promise<void>
}

const stores: Readonly<Record<string, () => Promise<BenchStore>>> = {
  async memory() {
    const shared = memory()
    return { backend: () => shared, dispose: async () => {} }
  },
  async sqlite() {
    const folder = mkdtempSync(join(tmpdir(), 'simba-bench-'))
    const path = join(folder, 'simba.db')
    return { backend: () => sqlite(path), dispose: async () => rmSync(folder, { recursive: true }) }
  },
  async redis() {
    const server = await RedisServer.start()
    return { backend: () => redis(server.url), dispose: () => server.dispose() }
  },
  async zookeeper() {
    const server = await ZooKeeperServer.start({ tickTimeMs: 1_000 })
    return { backend: () => zookeeper(server.url), dispose: () => server.dispose() }
  },
}

export function openStore(name = 'memory'): Promise<BenchStore> {
  const open = stores[name]
  if (!open) throw new Error(`There is no store '${name}'; there are ${Object.keys(stores).join(', ')}.`)
  return open()
}
