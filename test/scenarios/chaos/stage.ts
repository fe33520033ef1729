/** A cluster on a store, with a road from each node to each server, as faults see it. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../../src/simulation/random.ts'
import type { Cluster } from '../real/cluster.ts'
import { balance } from '../real/groups.ts'
import type { Line } from '../real/orders.ts'
import type { Reign } from '../real/reigns.ts'
import type { Condition, Road } from './road.ts'

export interface StageOptions {
  readonly cluster: Cluster
  readonly leaseDurationMs: number
  /** All leases that are no partitions. */
  readonly elections: readonly string[]
  readonly partitions: number
  /** Of each slot, the roads to all servers. A slot is a node and those that take its place. */
  readonly roads: ReadonlyMap<string, readonly Road[]>
}

/** While a cluster recovers, it may be held up so often by nobody's act. */
const MOST_STANDSTILLS = 5

/** Nothing was proved, for or against. */
export class RestlessError extends Error {
  constructor(leaseDurationMs: number) {
    super(`this machine is too busy for a lease of ${leaseDurationMs} ms: its processes stand still all the time`)
  }
}

export class Stage {
  readonly cluster: Cluster
  readonly leaseDurationMs: number
  readonly #options: StageOptions
  /** The node in each slot. */
  readonly #present = new Map<string, string>()
  /** Nodes that a fault has to itself. */
  readonly #taken = new Set<string>()
  /** Nodes that ended by a signal, so that they may not have said all. */
  readonly killed = new Set<string>()
  #started = 0

  constructor(options: StageOptions) {
    this.cluster = options.cluster
    this.leaseDurationMs = options.leaseDurationMs
    this.#options = options
  }

  /** A node's name begins with its slot. */
  async populate(): Promise<void> {
    const slots = [...this.#options.roads.keys()]
    for (const slot of slots) this.#present.set(slot, this.#nameIn(slot))
    await this.cluster.start(...this.#present.values())
  }

  /** Does something to one node that no other fault is at. */
  async withNode<T>(draw: Random, act: (node: string) => Promise<T>): Promise<T> {
    const free = [...this.#present.values()].filter((node) => !this.#taken.has(node))
    const node = free[Math.floor(draw.next() * free.length)]!
    this.#taken.add(node)
    try {
      return await act(node)
    } finally {
      this.#taken.delete(node)
    }
  }

  kill(node: string): void {
    this.killed.add(node)
    this.cluster.node(node).kill()
  }

  /** Starts another node in the place of one that is gone. */
  async replace(node: string): Promise<void> {
    const slot = slotOf(node)
    const next = this.#nameIn(slot)
    await this.cluster.start(next)
    this.#present.set(slot, next)
  }

  /** The roads of this node, or of all. */
  become(condition: Condition, node?: string): void {
    for (const [slot, roads] of this.#options.roads) {
      if (node === undefined || slot === slotOf(node)) for (const road of roads) road.become(condition)
    }
  }

  /** Breaks all connections, so that new ones are made. */
  hangUp(): void {
    for (const roads of this.#options.roads.values()) for (const road of roads) road.hangUp()
  }

  /** Sleeps for a time between these parts of the lease duration. */
  async partOfLease(draw: Random, range: readonly [number, number]): Promise<void> {
    await sleep(draw.between(range) * this.leaseDurationMs)
  }

  /**
   * Waits until everybody has renewed and everything is led, each partition by the one that it belongs to; returns how long that took.
   * Nodes that are paused or dead at that moment are not counted on.
   */
  async recovery(sinceMs: number): Promise<number> {
    try {
      const reigns = await this.cluster.until('everything is led again', () => this.#settled(sinceMs))
      return Math.max(0, ...reigns.map(({ startedMs }) => startedMs - sinceMs))
    } catch (error) {
      throw this.#wasCalm(sinceMs) ? error : new RestlessError(this.leaseDurationMs)
    }
  }

  /** A cluster whose processes the machine itself holds up all the time is promised no leader. */
  #wasCalm(sinceMs: number): boolean {
    const isStandstill = (line: Line) =>
      line.type === 'stood still' && line.atMs > sinceMs && line.forMs > this.leaseDurationMs / 4
    const free = new Set([...this.#present.values()].filter((node) => !this.#taken.has(node)))
    return this.cluster.lines.filter((line) => free.has(line.node) && isStandstill(line)).length < MOST_STANDSTILLS
  }

  #settled(sinceMs: number): readonly Reign[] | undefined {
    const { cluster } = this
    const { elections, partitions } = this.#options
    const members = [...this.#present.values()].filter((name) => {
      const node = cluster.node(name)
      return node.isRunning && !node.isPaused
    })
    if (!members.every((node) => this.#hasRenewed(node, sinceMs))) return undefined
    const led = cluster.leading(elections)
    const shared = led && balance(cluster, partitions, members)
    return shared && [...led, ...shared]
  }

  /** Twice: the second of the renewals was sent after that instant. */
  #hasRenewed(node: string, sinceMs: number): boolean {
    const { lines } = this.cluster
    let count = 0
    // From the end, where each node's lines are in order.
    for (let index = lines.length - 1; index >= 0 && count < 2; index--) {
      const line = lines[index]!
      if (line.node !== node) continue
      if (line.atMs <= sinceMs) break
      if (line.type === 'session.valid') count++
    }
    return count > 1
  }

  #nameIn(slot: string): string {
    this.#started++
    return `${slot}${this.#started}`
  }
}

function slotOf(node: string): string {
  return node[0]!
}
