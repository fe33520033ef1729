/** A Redis primary with a replica that takes its place; the two change roles with each failover. */
import { setTimeout as sleep } from 'node:timers/promises'
import { RedisServer } from '../../../support/redis-server.ts'
import { machineMs } from '../../real/orders.ts'
import type { Fault } from '../fault.ts'
import type { Stage } from '../stage.ts'
import { command } from './redis.ts'
import type { ChaosStore, StoreKind } from './store.ts'

/** Waits for no replica: what it confirms may be lost with the primary. */
export const redisFailover: StoreKind = kind('redis-failover', 0)

/** Waits for the replica (`replicas: 1`). */
export const redisReplicas: StoreKind = kind('redis-replicas', 1)

const MOST_GLANCES = 1_000
const GLANCE_MS = 10

function kind(name: string, replicas: 0 | 1): StoreKind {
  return {
    name,
    needs: ['redis-server'],
    async start() {
      const pair = new Pair(await RedisServer.start(), await RedisServer.start(), replicas)
      await pair.follow()
      return pair
    },
  }
}

class Pair implements ChaosStore {
  #primary: RedisServer
  #replica: RedisServer
  readonly #replicas: 0 | 1
  /** Slots from this one on are led to the server that is about to be the primary. */
  #movedFrom = Number.POSITIVE_INFINITY

  constructor(primary: RedisServer, replica: RedisServer, replicas: 0 | 1) {
    this.#primary = primary
    this.#replica = replica
    this.#replicas = replicas
  }

  readonly ports = [(slot: number) => (slot < this.#movedFrom ? this.#primary : this.#replica).port]

  url([port]: readonly number[]): string {
    return `redis://127.0.0.1:${port}${this.#replicas > 0 ? `?replicas=${this.#replicas}` : ''}`
  }

  readonly faults: readonly Fault[] = [
    {
      name: 'failover to a replica that has everything',
      place: 'store',
      act: async (stage) => {
        await this.#primary.kill()
        await command(this.#replica.port, (client) => client.replicaof('NO', 'ONE'))
        return this.#changeRoles(stage, 'crashed')
      },
    },
    {
      name: 'failover to a replica that lacks the last writes',
      place: 'store',
      act: async (stage, draw) => {
        // What the primary grants from here on is lost. It dies before the other one takes its place.
        await command(this.#replica.port, (client) => client.replicaof('NO', 'ONE'))
        await stage.partOfLease(draw, [0.1, 1])
        await this.#primary.kill()
        return this.#changeRoles(stage, 'crashed')
      },
    },
    {
      name: 'a replica becomes primary, and the old one serves some nodes on',
      place: 'store',
      act: async (stage, draw) => {
        const fromMs = machineMs()
        await command(this.#replica.port, (client) => client.replicaof('NO', 'ONE'))
        this.#movedFrom = 1
        stage.hangUp()
        await stage.partOfLease(draw, [0.5, 2])
        const aftermath = await this.#changeRoles(stage, 'alive')
        if (this.#replicas > 0) return aftermath
        return { ...aftermath, overlaps: { fromMs, toMs: machineMs() + stage.leaseDurationMs } }
      },
    },
  ]

  /** The replica is the primary from now on; the old one comes back as its replica, without what it knew. */
  async #changeRoles(stage: Stage, old: 'crashed' | 'alive'): Promise<{ readonly sinceMs: number }> {
    const sinceMs = machineMs()
    const former = this.#primary
    this.#primary = this.#replica
    this.#replica = former
    this.#movedFrom = Number.POSITIVE_INFINITY
    stage.hangUp()
    if (old === 'crashed') await former.restart('lost')
    await this.follow()
    return { sinceMs }
  }

  /** Resolves when the replica has all that the primary has. */
  async follow(): Promise<void> {
    const { port } = this.#primary
    await command(this.#replica.port, async (client) => {
      await client.replicaof('127.0.0.1', port)
      for (let glance = 0; glance < MOST_GLANCES; glance++) {
        if ((await client.info('replication')).includes('master_link_status:up')) return
        await sleep(GLANCE_MS)
      }
      throw new Error('the replica does not follow its primary')
    })
  }

  async mend(): Promise<void> {
    this.#movedFrom = Number.POSITIVE_INFINITY
  }

  async dispose(): Promise<void> {
    await Promise.all([this.#primary.dispose(), this.#replica.dispose()])
  }
}
