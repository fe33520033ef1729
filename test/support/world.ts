/** Some clients of one memory store, all on one time that a test moves by hand; what they publish and log is kept. */

import { memory } from '../../src/backends/memory/index.ts'
import type { Session } from '../../src/backends/port.ts'
import { createSimba, type Simba, type SimbaEvent, type SimbaOptions } from '../../src/index.ts'
import type { SimbaEventOf, SimbaEventType } from '../../src/runtime/events.ts'
import { settle } from '../../src/simulation/virtualTime.ts'
import { HandTime } from './hand-time.ts'
import { LogBook } from './log-book.ts'
import { Road } from './road.ts'

export const LEASE_MS = 10_000
export const RENEW_MS = 3_000
/** 1 % of the lease duration and 50 ms: what a client takes off. */
export const MARGIN_MS = 150
/** How long a session is valid after a confirmed request, on the client's side. */
export const VALID_MS = LEASE_MS - MARGIN_MS

/** One client, with what it has published and logged. */
export interface Client {
  readonly simba: Simba
  readonly events: SimbaEvent[]
  readonly log: LogBook
  /** The way to the store, where a test may interfere. */
  readonly road: Road
  of<Type extends SimbaEventType>(type: Type): readonly SimbaEventOf<Type>[]
}

export class World {
  readonly time = new HandTime()
  readonly backend = memory({ clock: { now: () => this.time.monotonicMs(), wallMs: () => this.time.wallMs() } })
  readonly #clients: Client[] = []

  /** A client that runs. */
  client(options: SimbaOptions = {}): Client {
    const client = this.idleClient(options)
    client.simba.send({ type: 'START' })
    return client
  }

  idleClient(options: SimbaOptions = {}): Client {
    const log = new LogBook()
    const road = new Road(this.backend, this.time)
    const simba = createSimba({
      backend: road.backend,
      node: `node-${this.#clients.length + 1}`,
      leaseDuration: LEASE_MS,
      renewInterval: RENEW_MS,
      logger: log,
      environment: { time: this.time, random: this.#random },
      ...options,
    })
    const events: SimbaEvent[] = []
    simba.on('*', (event) => events.push(event))
    const client: Client = {
      simba,
      events,
      log,
      road,
      of: (type) => events.filter((event) => event.type === type) as never,
    }
    this.#clients.push(client)
    return client
  }

  pass(ms: number): Promise<void> {
    return this.time.pass(ms)
  }

  /** Lets everything happen that needs no time. */
  settle(): Promise<void> {
    return settle()
  }

  /** Resolves after some time has passed in this world. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.time.setTimer(resolve, ms))
  }

  /** Lets time pass until the promise has settled, at most so long; returns how long it took. Rejects with the promise. */
  until(promise: Promise<unknown>, limitMs: number): Promise<number> {
    return this.time.until(promise, limitMs)
  }

  /** A bare session, to see what the store says and to be somebody else. */
  async stranger(options: { readonly node?: string; readonly renewIntervalMs?: number } = {}): Promise<Session> {
    const environment = {
      clock: { now: () => this.time.monotonicMs(), wallMs: () => this.time.wallMs() },
      random: this.#random,
      logger: new LogBook(),
      namespace: 'simba',
    }
    const connection = this.backend.connect(environment)
    const { node = 'stranger', renewIntervalMs = RENEW_MS } = options
    const session = connection.session({ node, leaseDurationMs: LEASE_MS, renewIntervalMs }, () => {})
    await session.open()
    return session
  }

  /** Whether the store knows of any session. */
  async storeIsEmpty(): Promise<boolean> {
    const session = await this.stranger()
    const answer = await session.renew({ settled: 0, epoch: 0 })
    await session.close()
    return answer.kind === 'renewed' && answer.nextExpiryInMs === null
  }

  /** Stops all clients, whatever the test has left of them. */
  async end(): Promise<void> {
    for (const { road } of this.#clients) road.heal()
    const stops = this.#clients.map(({ simba }) => simba.stop())
    await this.until(Promise.all(stops), 3 * LEASE_MS)
  }

  #seed = 1
  /** Repeats itself from test to test. */
  readonly #random = (): number => {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647
    return this.#seed / 2_147_483_647
  }
}
