/** What can befall the way of a node to a store with a server. */
import { machineMs } from '../real/orders.ts'
import { type Fault, LONGER, SHORTER } from './fault.ts'
import type { Condition } from './road.ts'

const LONGEST_LAG_MS = 150

function road(name: string, kind: Condition['kind'], range: readonly [number, number]): Fault {
  return {
    name,
    place: 'node',
    act: (stage, draw) =>
      stage.withNode(draw, async (node) => {
        stage.become(kind === 'slow' ? { kind, lagMs: draw.next() * LONGEST_LAG_MS } : { kind }, node)
        try {
          await stage.partOfLease(draw, range)
        } finally {
          stage.become({ kind: 'open' }, node)
        }
        return { sinceMs: machineMs() }
      }),
  }
}

export const ROAD_FAULTS: readonly Fault[] = [
  road('connections of a node cut for less than the lease', 'cut', SHORTER),
  road('connections of a node cut for more than the lease', 'cut', LONGER),
  road('connections of a node slow', 'slow', LONGER),
  road('connections of a node half-open for less than the lease', 'silent', SHORTER),
  road('connections of a node half-open for more than the lease', 'silent', LONGER),
  road('answers to a node held back for more than the lease', 'deaf', LONGER),
]
