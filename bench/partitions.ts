/**
 * Ten thousand partitions of one group on one node: how long until all are led, how much memory they take, how long until all are stopped.
 * Run with `node --expose-gc --import tsx bench/partitions.ts [memory|sqlite|redis]`.
 */
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSimba, fixedDelay } from 'simba-xstate'
import { memory } from 'simba-xstate/memory'
import { redis } from 'simba-xstate/redis'
import { sqlite } from 'simba-xstate/sqlite'
import { RedisServer } from '../test/support/redis-server.ts'

const PARTITIONS = 10_000
const store = process.argv[2] ?? 'memory'
const file = join(tmpdir(), `simba-bench-${process.pid}.db`)
const server = store === 'redis' ? await RedisServer.start() : undefined
const backend = server ? redis(server.url) : store === 'sqlite' ? sqlite(file) : memory()

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`
const cpuMs = (since: NodeJS.CpuUsage) => {
  const { user, system } = process.cpuUsage(since)
  return Math.round((user + system) / 1000)
}
const heap = () => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

const before = heap()
const simba = createSimba({ backend })
let leading = 0
const all = new Promise<void>((resolve) => {
  simba.on('term.started', () => {
    leading += 1
    if (leading === PARTITIONS) resolve()
  })
})
simba.send({ type: 'START' })
// A store that has just been started grants nothing for a lease duration, lest it has forgotten something.
await (await simba.lock('warm-up').acquire()).release()
leading = 0
const group = simba.group('bench', { partitions: PARTITIONS })
const started = performance.now()
const startCpu = process.cpuUsage()
group.schedule(fixedDelay('1h', { initialDelay: '1h' }), async () => {})
await all
const startMs = performance.now() - started
const startCpuMs = cpuMs(startCpu)
const heldBytes = heap() - before
const stopping = performance.now()
const stopCpu = process.cpuUsage()
await simba.stop()
const stopMs = performance.now() - stopping
const stopCpuMs = cpuMs(stopCpu)
rmSync(file, { force: true })
await server?.dispose()

console.table({
  [store]: {
    partitions: PARTITIONS,
    'start ms': Math.round(startMs),
    'of cpu': startCpuMs,
    'stop ms': Math.round(stopMs),
    'of cpu ': stopCpuMs,
    heap: megabytes(heldBytes),
    'peak rss': megabytes(process.resourceUsage().maxRSS * 1000),
  },
})
