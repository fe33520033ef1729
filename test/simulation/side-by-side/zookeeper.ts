/**
 * The ZooKeeper store as a contestant: a real server, whose time nobody can move. Nothing runs out in a duel; sessions are closed, or ended
 * from outside.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { zookeeper } from '../../../src/backends/zookeeper/index.ts'
import { pathsIn } from '../../../src/backends/zookeeper/paths.ts'
import { freshNamespace } from '../../support/store-client.ts'
import { expireOwner } from '../../support/zookeeper-expiry.ts'
import type { ZooKeeperServer } from '../../support/zookeeper-server.ts'
import type { Tempo } from './command.ts'
import type { Contestant, Listener } from './contestant.ts'

/** Longer than any duel. */
export const zookeeperTempo: Tempo = {
  leasesMs: [300_000, 400_000, 500_000],
  renewalsMs: [100_000, 110_000, 120_000],
  passesMs: [],
  grainMs: 1,
  canStepWall: false,
  canRestart: false,
}

/** The server has to keep sessions for so long. */
export const LONGEST_SESSION_MS = Math.max(...zookeeperTempo.leasesMs)

/** A look that takes as long as this has not waited for all that there is to be understood. */
const HASTY_MS = 150

export function zookeeperContestant(server: ZooKeeperServer): Contestant {
  const namespace = freshNamespace()
  const paths = pathsIn('', namespace)
  const isOver = ({ heard }: Listener) => heard.some(({ type }) => type === 'session.lost')

  return {
    backend: zookeeper(server.url),
    environment: { clock: { now: () => performance.now(), wallMs: () => Date.now() }, namespace },
    start: { wallMs: Date.now() },
    pass: () => Promise.reject(new Error('nobody moves the time of an ensemble')),
    stepWall: () => {},
    restart: () => Promise.reject(new Error('an ensemble keeps its memory')),
    async expire(listener) {
      await expireOwner(server.port, paths.session(listener.id))
      while (!isOver(listener)) await sleep(1)
    },
    async hear(listeners) {
      for (const { look } of listeners) {
        for (let tookMs = HASTY_MS; tookMs >= HASTY_MS; ) {
          const askedMs = performance.now()
          await look()
          tookMs = performance.now() - askedMs
        }
      }
    },
    slackMs: 1,
    tellsExpiries: false,
    cutsOffers: false,
    isServer: false,
  }
}
