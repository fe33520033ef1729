/**
 * Ten thousand partitions of one group on three clients: how long until all are led where they belong, again after one client has left,
 * and again after it has come back. All clients share this process, and so one core.
 * Run with `node --import tsx bench/rebalance.ts [memory|sqlite|redis|zookeeper]`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createSimba, fixedDelay, type GroupTask, type Simba } from 'simba-xstate'
import { openStore } from './support/store.ts'

const PARTITIONS = 10_000
const LOOKS_EACH_MS = 5
const name = process.argv[2]
const store = await openStore(name)

interface Client {
  readonly simba: Simba
  readonly task: GroupTask
}

function enter(): Client {
  const simba = createSimba({ backend: store.backend(), leaseDuration: '15s', renewInterval: '5s' })
  simba.send({ type: 'START' })
  const task = simba
    .group('bench', { partitions: PARTITIONS })
    .schedule(fixedDelay('1h', { initialDelay: '1h' }), async () => {})
  return { simba, task }
}

/** How long it takes until each partition has a term on exactly one of them, and each of them its share. */
async function settled(clients: readonly Client[]): Promise<number> {
  const startMs = performance.now()
  const ledBy = ({ task }: Client) => task.partitions().filter((partition) => task.term(partition) !== undefined).length
  for (;;) {
    const led = clients.map(ledBy)
    const isShared = led.every((count) => count > PARTITIONS / (2 * clients.length))
    if (isShared && led.reduce((sum, count) => sum + count, 0) === PARTITIONS) return performance.now() - startMs
    await sleep(LOOKS_EACH_MS)
  }
}

// A store that has just been started grants nothing for a lease duration, lest it has forgotten something.
const warmUp = createSimba({ backend: store.backend(), leaseDuration: '15s', renewInterval: '5s' })
warmUp.send({ type: 'START' })
await (await warmUp.lock('warm-up').acquire()).release()
await warmUp.stop()

const clients = [enter(), enter(), enter()]
const startMs = await settled(clients)
const [leaver, ...rest] = clients as [Client, ...Client[]]
const stopped = leaver.simba.stop()
const leftMs = await settled(rest)
await stopped
const again = [...rest, enter()]
const backMs = await settled(again)
await Promise.all(again.map(({ simba }) => simba.stop()))
await store.dispose()

console.table({
  [name ?? 'memory']: {
    partitions: PARTITIONS,
    'all led, ms': Math.round(startMs),
    'one has left, ms': Math.round(leftMs),
    'one is back, ms': Math.round(backMs),
  },
})
