/**
 * Ten thousand partitions of one group on one node: how long until all are led, how much memory they take, how long until all are stopped.
 * Run with `node --expose-gc --import tsx bench/partitions.ts [memory|sqlite|redis|zookeeper]`.
 */
import { createSimba, fixedDelay } from 'simba-xstate'
import { openStore } from './support/store.ts'

const PARTITIONS = 10_000
const name = process.argv[2]
const store = await openStore(name)

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
const simba = createSimba({ backend: store.backend() })
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
await store.dispose()

console.table({
  [name ?? 'memory']: {
    partitions: PARTITIONS,
    'start ms': Math.round(startMs),
    'of cpu': startCpuMs,
    'stop ms': Math.round(stopMs),
    'of cpu ': stopCpuMs,
    heap: megabytes(heldBytes),
    'peak rss': megabytes(process.resourceUsage().maxRSS * 1000),
  },
})
