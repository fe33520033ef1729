/**
 * A world in which whole clients run unchanged under virtual time, with a hostile network and a store that fails, all from one seed.
 * What it does not simulate: threads, real I/O and real timers; work in it waits with `node.sleep()`.
 */
import { type MemoryBackend, memory } from '../backends/memory/index.ts'
import type { Clock } from '../model/clock.ts'
import { type Duration, toMs } from '../runtime/durations.ts'
import { SimulationLog } from './log.ts'
import type { ClockTraits } from './machineClock.ts'
import { type NodeOptions, SimulatedNode } from './node.ts'
import { Random } from './random.ts'
import { SimulatedStore } from './store.ts'
import { VirtualTime } from './virtualTime.ts'
import { fairWeather, type Weather } from './weather.ts'

export interface SimulationOptions {
  /** Everything that is left to chance follows from it. Default: 1. */
  readonly seed?: number
  readonly storeClock?: ClockTraits
  /** Between the nodes and the store, when `link.setWeather()` has not changed it. What is left out is fair. */
  readonly weather?: Partial<Weather>
  /** Makes the store, which goes by this clock: one of your own that lives in this process and waits for nothing. Default: `memory()`. */
  readonly backend?: (clock: Clock) => MemoryBackend
}

export interface Simulation {
  readonly time: VirtualTime
  readonly store: SimulatedStore
  readonly log: SimulationLog
  readonly nodes: readonly SimulatedNode[]
  /** Adds a machine with a client, and starts it. */
  node(name: string, options?: NodeOptions): SimulatedNode
  /** Lets time pass. */
  pass(duration: Duration): Promise<void>
  /** Lets time pass until the promise settles, at most so long. Returns how many milliseconds it took. */
  until(promise: Promise<unknown>, limit: Duration): Promise<number>
}

/**
 * Makes a world with a store and no nodes yet.
 *
 * @example
 * const simulation = createSimulation({ seed: 7 })
 * const boot = (node: SimulatedNode) =>
 *   node.simba.election('ingest').runWhileLeader(async (term) => {
 *     while (term.isValid) await node.sleep(100, term.signal)
 *   })
 * const one = simulation.node('one', { boot })
 * const two = simulation.node('two', { boot })
 * await simulation.pass('10s')
 * one.crash()
 * await simulation.pass('20s')
 * console.log(String(simulation.log))
 */
export function createSimulation(options: SimulationOptions = {}): Simulation {
  const { seed = 1, storeClock = {}, weather = {}, backend = (clock) => memory({ clock }) } = options
  const time = new VirtualTime()
  const log = new SimulationLog(time)
  const random = new Random(seed)
  const store = new SimulatedStore(time, storeClock, backend, (what) => log.note('store', what))
  const nodes: SimulatedNode[] = []
  return {
    time,
    store,
    log,
    nodes,
    node(name, options) {
      const node = new SimulatedNode(
        { time, random, store, log, weather: { ...fairWeather, ...weather } },
        name,
        options,
      )
      nodes.push(node)
      return node
    },
    pass: (duration) => time.pass(toMs('duration', duration, { minMs: 0 })),
    until: (promise, limit) => time.until(promise, toMs('limit', limit, { minMs: 0 })),
  }
}
