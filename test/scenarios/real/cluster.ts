/** Several nodes on one store, and the merged log of them all. */

import type { Exit, NodeProcess } from './node-process.ts'
import { type ClientOrders, type Line, machineMs, type Order } from './orders.ts'
import type { Pool } from './pool.ts'
import { endOf, type Reign, ReignLog } from './reigns.ts'

/** What is not true after this long is not going to be, however busy the machine. */
export const PATIENCE_MS = 20_000
const GLANCE_MS = 20

/** A node need not have written anything since shortly before it was paused. */
const CLOSE_MS = 200
const TAIL = 60

export interface ClusterOptions
  extends Omit<ClientOrders, 'node' | 'backend' | 'namespace' | 'elections' | 'groups' | 'cleanUpMs'> {
  /** A URL, the same for all, or for each its own. */
  readonly backend: string | ((node: string) => string)
  readonly elections?: readonly string[]
  readonly groups?: Readonly<Record<string, number>>
  readonly cleanUpMs?: number
  /** Where 20 s are too few. */
  readonly patienceMs?: number
}

export class Cluster {
  readonly lines: Line[] = []
  readonly namespace = `real-${Math.random().toString(36).slice(2, 10)}`
  readonly #pool: Pool
  readonly #options: ClusterOptions
  readonly #nodes = new Map<string, NodeProcess>()
  readonly #reigns = new ReignLog()
  readonly #waiting = new Set<() => void>()

  constructor(pool: Pool, options: ClusterOptions) {
    this.#pool = pool
    this.#options = options
  }

  /** Starts nodes of these names; a name is used once. Resolves when each has a session. */
  async start(...names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.#start(name)))
    await this.until(`${names.join(', ')} have sessions`, () =>
      names.every((name) => this.lines.some(({ node, type }) => node === name && type === 'session.opened')),
    )
  }

  get names(): readonly string[] {
    return [...this.#nodes.keys()]
  }

  node(name: string): NodeProcess {
    const node = this.#nodes.get(name)
    if (!node) throw new Error(`there is no node ${name}`)
    return node
  }

  order(name: string, order: Order): Promise<void> {
    return this.node(name).order(order)
  }

  /** Waits for the process to end. */
  async exit(name: string): Promise<Exit> {
    const process = this.node(name)
    await this.until(`the process of ${name} has ended`, () => !process.isRunning)
    return process.exited
  }

  async #start(name: string): Promise<void> {
    const process = await this.#pool.take()
    const { elections = [], groups = {}, cleanUpMs = 0, backend, patienceMs: _, ...rest } = this.#options
    const url = typeof backend === 'string' ? backend : backend(name)
    process.onLine = (said) => {
      const line = { ...said, node: name }
      this.lines.push(line)
      this.#reigns.read(line)
      for (const wake of this.#waiting) wake()
    }
    this.#nodes.set(name, process)
    await process.order({
      do: 'begin',
      client: { ...rest, backend: url, node: name, namespace: this.namespace, elections, groups, cleanUpMs },
    })
  }

  /** Looks after each line, and now and then. Fails with the end of the log. */
  async until<T>(what: string, look: () => T | undefined | false): Promise<T> {
    const { patienceMs = PATIENCE_MS } = this.#options
    const deadlineMs = machineMs() + patienceMs
    for (;;) {
      const found = look()
      if (found !== undefined && found !== false) return found
      if (machineMs() > deadlineMs) throw new Error(`not within ${patienceMs} ms: ${what}\n${this.tail()}`)
      await this.#news()
    }
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(glance)
        this.#waiting.delete(wake)
        resolve()
      }
      const glance = setTimeout(wake, GLANCE_MS)
      this.#waiting.add(wake)
    })
  }

  /** All terms so far, in the order in which they became known here. */
  get reigns(): readonly Reign[] {
    return this.#reigns.all
  }

  /** The term that is alive now. That of a process that was stopped or killed is until its deadline. */
  reign(lease: string): Reign | undefined {
    const nowMs = machineMs()
    return this.#reigns.of(lease).findLast((reign) => endOf(reign) > nowMs)
  }

  /** Waits until the lease is led by a node that is neither stopped nor dead. */
  async led(lease: string, succession: Succession = {}): Promise<Reign> {
    const [reign] = await this.allLed([lease], succession)
    return reign!
  }

  allLed(leases: readonly string[], succession: Succession = {}): Promise<readonly Reign[]> {
    return this.until(`${leases.length > 5 ? leases.length : leases} led ${JSON.stringify(succession)}`, () =>
      this.leading(leases, succession),
    )
  }

  /** The terms of all of these leases, if each is led now by a node that is neither stopped nor dead. */
  leading(leases: readonly string[], succession: Succession = {}): readonly Reign[] | undefined {
    const found: Reign[] = []
    for (const lease of leases) {
      const reign = this.#leading(lease, succession)
      if (!reign) return undefined
      found.push(reign)
    }
    return found
  }

  #leading(lease: string, { after, by, notBy }: Succession): Reign | undefined {
    const reign = this.reign(lease)
    if (!reign || reign.revokedMs !== undefined) return undefined
    const process = this.node(reign.node)
    if (!process.isRunning || process.isPaused) return undefined
    if (after && reign.token <= after.token) return undefined
    if ((by && reign.node !== by) || reign.node === notBy) return undefined
    return reign
  }

  /** The log of the former leader may come later than that of the next one. */
  async handedOver(reigns: readonly Reign[]): Promise<void> {
    await this.until('the handovers are over', () => reigns.every(({ handedOverMs }) => handedOverMs !== undefined))
  }

  /** What a node said when it went on after it had been paused or blocked since then. */
  standstill(name: string, sinceMs: number): Promise<Line & { readonly type: 'stood still' }> {
    return this.until(`${name} goes on`, () =>
      this.lines.find(
        (line): line is Line & { type: 'stood still' } =>
          line.node === name && line.type === 'stood still' && line.atMs - line.forMs > sinceMs - CLOSE_MS,
      ),
    )
  }

  /** Each running node's renewals have been confirmed twice since then: the second of them was sent after that instant. */
  async renewedSince(sinceMs: number): Promise<void> {
    const isRenewal = (line: Line) => line.type === 'session.valid' && line.atMs > sinceMs
    await this.until('everybody has renewed', () =>
      this.names.every((name) => this.lines.filter((line) => line.node === name && isRenewal(line)).length > 1),
    )
  }

  /** The end of the log, for a person. */
  tail(count = TAIL): string {
    const sorted = [...this.lines].sort((a, b) => a.atMs - b.atMs).slice(-count)
    const beganMs = sorted[0]?.atMs ?? 0
    return sorted
      .map(({ atMs, node, type, ...rest }) => `${(atMs - beganMs).toFixed(1)} ${node} ${type} ${JSON.stringify(rest)}`)
      .join('\n')
  }

  /** Stops every client; the processes go back to the pool. */
  async dispose(): Promise<void> {
    await Promise.all(this.names.map((name) => this.#dispose(name)))
    this.#nodes.clear()
  }

  async #dispose(name: string): Promise<void> {
    const process = this.node(name)
    let isStopped = false
    if (process.isPaused) process.resume()
    void process.order({ do: 'stop' }).then(() => {
      isStopped = true
    })
    try {
      await this.until(`${name} stops`, () => isStopped || !process.isRunning)
    } catch (error) {
      process.kill()
      throw error
    }
    this.#pool.giveBack(process)
  }
}

export interface Succession {
  /** An earlier term. */
  readonly after?: Reign
  readonly by?: string
  readonly notBy?: string
}
