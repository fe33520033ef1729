/**
 * Where the work is written: a list per account in Redis, with the newest token that has written to it. It stands for your database,
 * and refuses a former leader.
 */
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common'
import { ConfigService } from '@nestjs/config'
import { Redis } from 'ioredis'

/** One atomic step: compare the token, keep it, append the row. */
const WRITE = `
  local newest = redis.call('GET', KEYS[1])
  if newest and tonumber(newest) > tonumber(ARGV[1]) then return 0 end
  redis.call('SET', KEYS[1], ARGV[1])
  redis.call('RPUSH', KEYS[2], ARGV[2])
  return 1
`

@Injectable()
export class Ledger implements OnModuleDestroy {
  readonly #redis: Redis

  // A decorator where the type alone would do, so that compilers without metadata of types (tsx, esbuild) can run this.
  constructor(@Inject(ConfigService) config: ConfigService) {
    this.#redis = new Redis(config.get<string>('REDIS_URL', 'redis://127.0.0.1:6379'))
  }

  /** How many rows the account has. */
  count(account: string): Promise<number> {
    return this.#redis.llen(rows(account))
  }

  /** Rejects where a later leader has written to the account. */
  async append(account: string, row: object, fencingToken: number): Promise<void> {
    const line = JSON.stringify({ ...row, token: fencingToken })
    const isWritten = await this.#redis.eval(WRITE, 2, `ledger:token:${account}`, rows(account), fencingToken, line)
    if (!isWritten) throw new Error(`${fencingToken} is the token of a former leader of ${account}.`)
  }

  /** Comes after the methods have ended: what they wrote last is answered. */
  onModuleDestroy(): void {
    this.#redis.disconnect()
  }
}

function rows(account: string): string {
  return `ledger:rows:${account}`
}
