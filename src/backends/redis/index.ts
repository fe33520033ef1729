/**
 * Sessions and leases in Redis 5 or newer, or Valkey, through ioredis (an optional peer). What it promises rests on the memory of one
 * server at a time: a restart or failover is met with a quarantine, and FLUSHALL ends every session and every lease at once.
 */
import type { Cluster, Redis, RedisOptions } from 'ioredis'
import { SimbaError } from '../../model/errors.ts'
import type { Backend } from '../port.ts'
import { RedisConnection } from './connection.ts'
import { makeClients, type RedisSource } from './driver.ts'
import { rootKey } from './keys.ts'

export type { RedisSource } from './driver.ts'

export interface RedisBackendOptions {
  /**
   * How many replicas must have acknowledged a session, a renewal or a grant before the client relies on it (`WAIT`). With all of those
   * that may be promoted, a term outlives neither its primary's replicas nor a failover, even where the old primary goes on serving; but
   * without them nobody is elected, and terms run out. 0 to 16, default 0. Not with a Cluster.
   */
  readonly replicas?: number
}

const MOST_REPLICAS = 16

/**
 * Leases in Redis.
 *
 * Each client opens two connections of its own, whatever is given here. A client of ioredis is copied (with its TLS, passwords, sentinels
 * or cluster) and neither used nor closed itself. Reconnecting, queues and repetitions are set by the backend; of the options that
 * concern them only `commandTimeout`, `connectTimeout` (by default the renew interval, at least 1 s and at most 5 s) and `enableReadyCheck`
 * are yours.
 *
 * With `replicas`, or `?replicas=1` in the URL, nothing is relied on before so many replicas have it: see {@link RedisBackendOptions}.
 *
 * Throws `INVALID_OPTION` for anything else. Where ioredis is not installed, every call rejects with `DRIVER_MISSING`.
 *
 * @example
 * createSimba({ backend: redis('redis://127.0.0.1:6379') })
 * createSimba({ backend: redis('rediss://cache.example:6380', { password }) })
 * createSimba({ backend: redis({ host: 'cache.example', tls: {} }) })
 * createSimba({ backend: redis(yourIoredisClient) })
 * createSimba({ backend: redis('redis://primary.example:6379', { replicas: 1 }) })
 */
export function redis(url: string, options?: RedisOptions & RedisBackendOptions): Backend
export function redis(source: RedisOptions | Redis | Cluster, options?: RedisBackendOptions): Backend
export function redis(source: RedisSource, options: RedisOptions & RedisBackendOptions = {}): Backend {
  checkSource(source, options)
  const { replicas = replicasOf(source), ...forIoredis } = options
  checkReplicas(source, replicas)
  return {
    name: 'redis',
    connect(environment) {
      // Refused here already, where it can be.
      rootKey(environment.namespace)
      const { random } = environment
      const connect = (silenceMs: number) => makeClients(source, forIoredis, { silenceMs, random })
      return new RedisConnection(connect, environment, replicas)
    },
  }
}

/** What the URL says; 0 where it does not. */
function replicasOf(source: RedisSource): number {
  const [, count] = typeof source === 'string' ? (source.match(/[?&]replicas=([^&#]*)/) ?? []) : []
  return count === undefined ? 0 : Number(count)
}

function checkReplicas(source: RedisSource, replicas: number): void {
  if (!Number.isInteger(replicas) || replicas < 0 || replicas > MOST_REPLICAS) {
    throw new SimbaError(
      'INVALID_OPTION',
      `redis({ replicas }) is ${replicas}; allowed is a whole number from 0 to ${MOST_REPLICAS}`,
    )
  }
  if (replicas > 0 && typeof source === 'object' && 'isCluster' in source && source.isCluster) {
    throw new SimbaError('INVALID_OPTION', 'redis(cluster, { replicas }): the nodes of a Cluster cannot be waited for')
  }
}

function checkSource(source: unknown, options: unknown): void {
  const isText = typeof source === 'string'
  if (isText ? source === '' : !isObject(source)) {
    throw new SimbaError(
      'INVALID_OPTION',
      `redis(source) is ${JSON.stringify(source) ?? String(source)}; allowed are a URL, options of ioredis, or a client of ioredis`,
    )
  }
  const isOurs = (key: string) => key === 'replicas'
  if (!isObject(options) || !(isText || Object.keys(options).every(isOurs))) {
    throw new SimbaError(
      'INVALID_OPTION',
      'redis(source, options): options are an object, and those of ioredis go with a URL alone',
    )
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
