/**
 * The Redis store as a contestant: a real server whose clock nobody can move, so that its records are moved instead. Time passes by
 * making everything older, in steps beside which the real time of a duel is nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { redis } from '../../../src/backends/redis/index.ts'
import { hintChannel, rootKey } from '../../../src/backends/redis/keys.ts'
import type { RedisServer } from '../../support/redis-server.ts'
import { freshNamespace } from '../../support/store-client.ts'
import type { Tempo } from './command.ts'
import type { Contestant, Listener } from './contestant.ts'

const GRAIN_MS = 1_000_000
const grains = (count: number) => count * GRAIN_MS

/** Sessions and quarantines end half a grain, and offers a quarter of one, beside the instants at which something happens. */
export const redisTempo: Tempo = {
  leasesMs: [grains(10.5), grains(15.5), grains(30.5)],
  renewalsMs: [grains(2.25), grains(3.25), grains(5.25)],
  passesMs: [1, 2, 3, 5, 7, 10].map(grains),
  grainMs: GRAIN_MS,
  canStepWall: false,
  canRestart: true,
}

/** Everything that is an instant in the records of a namespace. */
const MOVE = `
  local root, ms = KEYS[1], ARGV[1]
  for _, kind in ipairs({'sessions', 'renewed', 'offers'}) do
    local key = root .. ':' .. kind
    for _, name in ipairs(redis.call('ZRANGE', key, 0, -1)) do redis.call('ZINCRBY', key, ms, name) end
  end
  for _, field in ipairs({'grantsFrom', 'startedAt'}) do
    if redis.call('HEXISTS', root, field) == 1 then redis.call('HINCRBY', root, field, ms) end
  end
`

export function redisContestant(server: RedisServer, operator: Redis): Contestant {
  const namespace = freshNamespace()
  const root = rootKey(namespace)
  let marks = 0

  /** Whoever has heard the mark has heard everything before it. Sent until somebody listens, for after a restart that takes a while. */
  const hear = async ({ id, heard }: Listener, mark: string) => {
    while ((await operator.publish(hintChannel(root, id), `lease.freed ${mark}`)) === 0) await sleep(5)
    const isMark = (hint: Listener['heard'][number]) => hint.type === 'lease.freed' && hint.lease === mark
    while (!heard.some(isMark)) await new Promise((resolve) => setImmediate(resolve))
    heard.splice(heard.findIndex(isMark), 1)
  }

  return {
    backend: redis(server.url),
    environment: { clock: { now: () => performance.now(), wallMs: () => Date.now() }, namespace },
    start: { wallMs: Date.now(), server: { id: 1, startedAtMs: 0 } },
    pass: async (ms) => void (await operator.eval(MOVE, 1, root, -ms)),
    stepWall: () => {},
    restart: (data) => server.restart(data),
    hear: async (listeners) => {
      marks += 1
      await Promise.all(listeners.map((listener) => hear(listener, `mark-${marks}`)))
    },
    slackMs: GRAIN_MS / 10,
    tellsExpiries: true,
    cutsOffers: false,
    isServer: true,
  }
}
