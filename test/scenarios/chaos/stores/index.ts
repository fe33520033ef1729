/** The stores that chaos can be let loose on, by the name of the backend. */
import { redis } from './redis.ts'
import { redisFailover, redisReplicas } from './redis-replicas.ts'
import { sqlite } from './sqlite.ts'
import type { StoreKind } from './store.ts'
import { zookeeper, zookeeperEnsemble } from './zookeeper.ts'

export const STORES: Readonly<Record<string, readonly StoreKind[]>> = {
  redis: [redis, redisFailover, redisReplicas],
  sqlite: [sqlite],
  zookeeper: [zookeeper, zookeeperEnsemble],
}
