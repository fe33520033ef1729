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

/**
 * Leases in Redis.
 *
 * Each client opens two connections of its own, whatever is given here. A client of ioredis is copied (with its TLS, passwords, sentinels
 * or cluster) and neither used nor closed itself. Reconnecting, queues and repetitions are set by the backend; of the options that
 * concern them only `commandTimeout`, `connectTimeout` (by default the renew interval, at least 1 s and at most 5 s) and `enableReadyCheck`
 * are yours.
 *
 * Throws `INVALID_OPTION` for anything else. Where ioredis is not installed, every call rejects with `DRIVER_MISSING`.
 *
 * @example
 * createSimba({ backend: redis('redis://127.0.0.1:6379') })
 * createSimba({ backend: redis('rediss://cache.example:6380', { password }) })
 * createSimba({ backend: redis({ host: 'cache.example', tls: {} }) })
 * createSimba({ backend: redis(yourIoredisClient) })
 */
export function redis(url: string, options?: RedisOptions): Backend
export function redis(source: RedisOptions | Redis | Cluster): Backend
export function redis(source: RedisSource, options?: RedisOptions): Backend {
  checkSource(source, options)
  return {
    name: 'redis',
    connect(environment) {
      // Refused here already, where it can be.
      rootKey(environment.namespace)
      const { random } = environment
      return new RedisConnection((silenceMs) => makeClients(source, options, { silenceMs, random }), environment)
    },
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
  if (options !== undefined && !(isText && isObject(options))) {
    throw new SimbaError('INVALID_OPTION', 'redis(url, options): options go with a URL alone, and are an object')
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
