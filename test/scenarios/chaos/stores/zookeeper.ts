/** One ZooKeeper server, and an ensemble of three. */
import { expireOwner } from '../../../support/zookeeper-expiry.ts'
import { outageOf } from '../../../support/zookeeper-outage.ts'
import { ZooKeeperEnsemble, ZooKeeperServer } from '../../../support/zookeeper-server.ts'
import { sessionOf } from '../../real/groups.ts'
import { machineMs } from '../../real/orders.ts'
import { type Fault, LONGER, SHORTER } from '../fault.ts'
import type { Stage } from '../stage.ts'
import type { StoreKind } from './store.ts'

const TICK_MS = 100
const NEEDS = ['java', 'zookeeper.jar']

/** A server that stands still or is gone for this long is missed for less than, or for more than, a lease. */
type Range = readonly [number, number]

export const zookeeper: StoreKind = {
  name: 'zookeeper',
  needs: NEEDS,
  async start() {
    const server = await ZooKeeperServer.start({ tickTimeMs: TICK_MS })
    return {
      ports: [() => server.port],
      url: urlOf,
      faults: [
        frozen('SIGSTOP of the server for less than the lease', [server], SHORTER),
        frozen('SIGSTOP of the server for more than the lease', [server], LONGER),
        {
          name: 'kill -9 of the server, and restart with its data',
          place: 'store',
          async act() {
            await server.restart('kept')
            return { sinceMs: machineMs() }
          },
        },
        {
          name: 'kill -9 of the server, and restart without its data',
          place: 'store',
          act: (stage) => forgetting(stage, () => server.restart('lost')),
        },
        expiry(server),
      ],
      mend: () => server.mend(),
      dispose: () => server.dispose(),
    }
  },
}

export const zookeeperEnsemble: StoreKind = {
  name: 'zookeeper-ensemble',
  needs: NEEDS,
  async start() {
    const ensemble = await ZooKeeperEnsemble.start({ tickTimeMs: TICK_MS })
    const { servers } = ensemble
    const [one, other] = servers as readonly [ZooKeeperServer, ZooKeeperServer, ZooKeeperServer]
    return {
      ports: servers.map(
        ({ port }) =>
          () =>
            port,
      ),
      url: urlOf,
      faults: [
        frozen('SIGSTOP of two of three servers for less than the lease', [one, other], SHORTER),
        frozen('SIGSTOP of two of three servers for more than the lease', [one, other], LONGER),
        {
          name: 'SIGSTOP of one of three servers for more than the lease',
          place: 'store',
          async act(stage, draw) {
            const victim = servers[Math.floor(draw.next() * servers.length)]!
            return frozen('', [victim], LONGER).act(stage, draw)
          },
        },
        crash('kill -9 of one of three servers, and restart', ensemble, 1),
        crash('kill -9 of two of three servers, and restart', ensemble, 2),
        expiry(other),
      ],
      mend: () => ensemble.mend(),
      dispose: () => ensemble.dispose(),
      outage: () => outageOf(servers.map(({ host }) => host)),
    }
  },
}

function urlOf(ports: readonly number[]): string {
  return `zookeeper://${ports.map((port) => `127.0.0.1:${port}`).join(',')}?tickTime=${TICK_MS}`
}

function frozen(name: string, servers: readonly ZooKeeperServer[], range: Range): Fault {
  return {
    name,
    place: 'store',
    async act(stage, draw) {
      for (const server of servers) server.freeze()
      try {
        await stage.partOfLease(draw, range)
      } finally {
        for (const server of servers) server.thaw()
      }
      return { sinceMs: machineMs() }
    },
  }
}

function crash(name: string, ensemble: ZooKeeperEnsemble, count: number): Fault {
  return {
    name,
    place: 'store',
    async act(stage, draw) {
      const first = Math.floor(draw.next() * ensemble.servers.length)
      const victims = ensemble.servers.filter((_, index) => (index - first + 3) % 3 < count)
      await Promise.all(victims.map((server) => server.kill()))
      await stage.partOfLease(draw, SHORTER)
      await ensemble.mend()
      return { sinceMs: machineMs() }
    },
  }
}

function expiry(server: ZooKeeperServer): Fault {
  return {
    name: 'a session expired from outside',
    place: 'store',
    act: (stage, draw) =>
      stage.withNode(draw, (node) =>
        forgetting(stage, () => {
          const path = `/simba/${stage.cluster.namespace}/sessions/${sessionOf(stage.cluster, node)}`
          return expireOwner(server.port, path)
        }),
      ),
  }
}

/** An operator's act: until those concerned hear of it, or until their deadline, others may lead beside them. */
async function forgetting(stage: Stage, act: () => Promise<void>) {
  const fromMs = machineMs()
  await act()
  const sinceMs = machineMs()
  return { sinceMs, overlaps: { fromMs, toMs: sinceMs + stage.leaseDurationMs } }
}
