/** A store by its URL, as in the environment variable `SIMBA_BACKEND`. */
import { memory } from '../backends/memory/index.ts'
import type { Backend } from '../backends/port.ts'
import { redis } from '../backends/redis/index.ts'
import { sqlite } from '../backends/sqlite/index.ts'
import { zookeeper } from '../backends/zookeeper/index.ts'
import { SimbaError } from '../model/errors.ts'

const ALLOWED =
  "'memory:', 'sqlite:./leases.db', 'redis://host:6379', 'rediss://host:6379' or 'zookeeper://a:2181,b:2181/path'"

/** Throws `INVALID_OPTION` for a URL of no known store. `option` says where the URL comes from. Passwords never get into the message. */
export function backendFromUrl(option: string, url: string): Backend {
  const scheme = /^([a-z]+):/.exec(url)?.[1]
  switch (scheme) {
    case 'memory':
      if (url !== 'memory:') break
      return memory()
    case 'sqlite':
      return sqlite(url.slice('sqlite:'.length))
    case 'redis':
    case 'rediss':
      return redis(url)
    case 'zookeeper':
      return zookeeper(url)
  }
  throw new SimbaError(
    'INVALID_OPTION',
    `${option} is ${scheme ? `a URL that begins with '${scheme}:'` : 'no URL'}; allowed are ${ALLOWED}.`,
  )
}
