/** What can befall a node, whatever its store is. */
import { machineMs } from '../real/orders.ts'
import { type Fault, LONGER, SHORTER } from './fault.ts'

export const NODE_FAULTS: readonly Fault[] = [
  {
    name: 'kill -9 of a node, and another one in its place',
    place: 'node',
    act: (stage, draw) =>
      stage.withNode(draw, async (node) => {
        const sinceMs = machineMs()
        stage.kill(node)
        const recoveredInMs = await stage.recovery(sinceMs)
        await stage.replace(node)
        return { sinceMs: machineMs(), recoveredInMs }
      }),
  },
  {
    name: 'a node leaves, and another one comes',
    place: 'node',
    act: (stage, draw) =>
      stage.withNode(draw, async (node) => {
        const sinceMs = machineMs()
        void stage.cluster.order(node, { do: 'leave' })
        await stage.cluster.exit(node)
        const recoveredInMs = await stage.recovery(sinceMs)
        await stage.replace(node)
        return { sinceMs: machineMs(), recoveredInMs }
      }),
  },
  {
    name: 'SIGSTOP of a node for less than the lease',
    place: 'node',
    act: (stage, draw) =>
      stage.withNode(draw, async (node) => {
        stage.cluster.node(node).pause()
        await stage.partOfLease(draw, SHORTER)
        stage.cluster.node(node).resume()
        return { sinceMs: machineMs() }
      }),
  },
  {
    name: 'SIGSTOP of a node for more than the lease',
    place: 'node',
    act: (stage, draw) =>
      stage.withNode(draw, async (node) => {
        const sinceMs = machineMs()
        stage.cluster.node(node).pause()
        try {
          const [recoveredInMs] = await Promise.all([stage.recovery(sinceMs), stage.partOfLease(draw, LONGER)])
          return { sinceMs: machineMs(), recoveredInMs }
        } finally {
          stage.cluster.node(node).resume()
        }
      }),
  },
  {
    name: 'event loop of a node blocked for less than the lease',
    place: 'node',
    act: (stage, draw) =>
      stage.withNode(draw, async (node) => {
        await stage.cluster.order(node, { do: 'block', forMs: draw.between(SHORTER) * stage.leaseDurationMs })
        return { sinceMs: machineMs() }
      }),
  },
  {
    name: 'event loop of a node blocked for more than the lease',
    place: 'node',
    act: (stage, draw) =>
      stage.withNode(draw, async (node) => {
        await stage.cluster.order(node, { do: 'block', forMs: draw.between(LONGER) * stage.leaseDurationMs })
        return { sinceMs: machineMs() }
      }),
  },
]
