/** One Redis server that has its data on disk. */
import { Redis } from 'ioredis'
import { RedisServer } from '../../../support/redis-server.ts'
import { machineMs } from '../../real/orders.ts'
import { type Fault, LONGER, SHORTER } from '../fault.ts'
import type { ChaosStore, StoreKind } from './store.ts'

export const redis: StoreKind = {
  name: 'redis',
  needs: ['redis-server'],
  async start(): Promise<ChaosStore> {
    const server = await RedisServer.start({ persistent: true })
    return {
      ports: [() => server.port],
      url: ([port]) => `redis://127.0.0.1:${port}`,
      faults: faultsOf(server),
      mend: async () => server.thaw(),
      dispose: () => server.dispose(),
    }
  },
}

function faultsOf(server: RedisServer): readonly Fault[] {
  const freeze = (name: string, range: readonly [number, number]): Fault => ({
    name,
    place: 'store',
    async act(stage, draw) {
      server.freeze()
      try {
        await stage.partOfLease(draw, range)
      } finally {
        server.thaw()
      }
      return { sinceMs: machineMs() }
    },
  })
  const restart = (name: string, data: 'kept' | 'lost'): Fault => ({
    name,
    place: 'store',
    async act(stage, draw) {
      await server.kill()
      if (draw.chance(0.5)) await stage.partOfLease(draw, SHORTER)
      await server.restart(data)
      return { sinceMs: machineMs() }
    },
  })
  return [
    freeze('SIGSTOP of the server for less than the lease', SHORTER),
    freeze('SIGSTOP of the server for more than the lease', LONGER),
    restart('kill -9 of the server, and restart with its data', 'kept'),
    restart('kill -9 of the server, and restart without its data', 'lost'),
    {
      name: 'FLUSHALL',
      place: 'store',
      async act(stage) {
        const sinceMs = machineMs()
        await command(server.port, (client) => client.flushall())
        // Terms from before it end with their next renewal, or at their deadline.
        return { sinceMs, overlaps: { fromMs: sinceMs, toMs: machineMs() + stage.leaseDurationMs } }
      },
    },
  ]
}

export async function command<T>(port: number, send: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(port)
  try {
    return await send(client)
  } finally {
    client.disconnect()
  }
}
