/** Everything that a Redis server holds, as text to look for something in. */
import type { Redis } from 'ioredis'

export async function dump(redis: Redis): Promise<string> {
  const keys = await redis.keys('*')
  const values = await Promise.all(keys.map((key) => read(redis, key)))
  return JSON.stringify(keys.map((key, index) => [key, values[index]]))
}

async function read(redis: Redis, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'hash':
      return redis.hgetall(key)
    case 'zset':
      return redis.zrange(key, '0', '-1')
    case 'set':
      return redis.smembers(key)
    default:
      return redis.get(key)
  }
}
