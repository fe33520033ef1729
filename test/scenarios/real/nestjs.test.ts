/** The NestJS example as an operator runs it: two instances on one Redis, and SIGTERM to one after the other, in the middle of their work. */
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { describe, expect, onTestFailed, test } from 'vitest'
import { type Example, startExampleIn } from '../../support/example.ts'
import { freePort } from '../../support/server-process.ts'
import { PATIENCE_MS } from './cluster.ts'
import { isRedisMissing, NOISE_MS, redisServer, report, SLOW } from './stage.ts'

const PARTITIONS = 16
const ACCOUNTS = ['report', ...Array.from({ length: PARTITIONS }, (_, partition) => `billing.${partition}`)]
const CONFIG = fileURLToPath(new URL('../../../examples/nestjs/tsconfig.json', import.meta.url))

/** A busy machine takes its time to compile and start two applications. */
const SLOW_START_MS = 180_000

interface Instance {
  readonly example: Example
  readonly port: number
}

interface Health {
  readonly elections: { readonly report: 'leading' | 'contending' }
  readonly groups: { readonly billing: { readonly leading: number } }
}

interface Row {
  readonly number: number
  readonly token: number
}

async function start(node: string, redisUrl: string): Promise<Instance> {
  const port = await freePort()
  const environment = {
    TSX_TSCONFIG_PATH: CONFIG,
    NO_COLOR: '1',
    REDIS_URL: redisUrl,
    NODE_NAME: node,
    PORT: String(port),
    LEASE_DURATION: `${SLOW.leaseDurationMs}ms`,
    RENEW_INTERVAL: `${SLOW.renewIntervalMs}ms`,
    // Under load: runs take 200 ms, so that some are always under way.
    REPORT_EVERY: '300ms',
    BILLING_EVERY: '300ms',
  }
  const example = startExampleIn(environment, 'nestjs/main.ts')
  onTestFailed(() => console.info(`${node}\n${example.output()}`))
  await example.printed(/successfully started/)
  return { example, port }
}

/** What the instance says on its page; `undefined` while it does not listen, or is not well. */
async function health({ port }: Instance): Promise<Health | undefined> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/health`)
    const { details } = (await answer.json()) as { details: { simba: Health } }
    return answer.ok ? details.simba : undefined
  } catch {
    return undefined
  }
}

async function until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  for (const deadlineMs = performance.now() + PATIENCE_MS; performance.now() < deadlineMs; await sleep(20)) {
    const found = await look()
    if (found) return found
  }
  throw new Error(`not within ${PATIENCE_MS} ms: ${what}`)
}

const leading = async (instance: Instance) => (await health(instance))?.groups.billing.leading ?? 0
const leadsReport = async (instance: Instance) => (await health(instance))?.elections.report === 'leading'

/** The runs that have come so far, as `billing.3 period 7`. */
function runs({ example }: Instance, end: 'begins' | 'is written'): readonly string[] {
  return [...example.output().matchAll(new RegExp(`((?:report|billing\\.\\d+ period) \\d+) ${end}`, 'g'))]
    .map(([, run = '']) => run)
    .toSorted()
}

/** SIGTERM in the middle of a run. Resolves with the moment and the number of runs under way. */
async function terminate(instance: Instance): Promise<{ readonly atMs: number; readonly underWay: number }> {
  return until('a run is under way', async () => {
    const underWay = runs(instance, 'begins').length - runs(instance, 'is written').length
    if (underWay === 0) return false
    instance.example.process.kill('SIGTERM')
    return { atMs: performance.now(), underWay }
  })
}

describe.skipIf(isRedisMissing)('two instances of the NestJS example', () => {
  const server = redisServer()

  test(
    'SIGTERM to one: it finishes its runs and ends with code 0, and the other goes on within a second; after both nothing is left',
    async () => {
      const instances = await Promise.all(['north', 'south'].map((node) => start(node, server().url)))
      const redis = new Redis(server().url)
      await until('both have partitions, and one reports', async () => {
        const [north = 0, south = 0] = await Promise.all(instances.map(leading))
        return north > 0 && south > 0 && north + south === PARTITIONS && runs(instances[0]!, 'is written').length > 0
      })
      const isFirst = await leadsReport(instances[0]!)
      const [first, second] = (isFirst ? instances : instances.toReversed()) as [Instance, Instance]

      const { atMs, underWay } = await terminate(first)
      expect(underWay).toBeGreaterThan(0)
      await until('the other one leads everything', async () => {
        return (await leading(second)) === PARTITIONS && leadsReport(second)
      })
      const tookMs = performance.now() - atMs
      report('from SIGTERM until the other instance leads everything', tookMs)
      // Noise on both sides: where the runs end, and where the next ones begin.
      expect(tookMs).toBeLessThan(1_000 + 2 * NOISE_MS)
      expect(await first.example.ended).toBe(0)
      expect(runs(first, 'is written')).toEqual(runs(first, 'begins'))

      const reports = await redis.llen('ledger:rows:report')
      await until('it reports', async () => (await redis.llen('ledger:rows:report')) > reports + 1)
      await terminate(second)
      expect(await second.example.ended).toBe(0)
      expect(runs(second, 'is written')).toEqual(runs(second, 'begins'))
      for (const { example } of instances) expect(example.output()).not.toMatch(/ERROR|WARN/)

      for (const account of ACCOUNTS) expectWritten(account, await rowsOf(redis, account))
      // The one that remembers the last token.
      expect((await redis.keys('*')).filter((key) => !key.startsWith('ledger:'))).toEqual(['simba:{nestjs-example}'])
      expect(await redis.pubsub('CHANNELS')).toEqual([])
      redis.disconnect()
    },
    SLOW_START_MS,
  )
})

async function rowsOf(redis: Redis, account: string): Promise<readonly Row[]> {
  return (await redis.lrange(`ledger:rows:${account}`, 0, -1)).map((line) => JSON.parse(line))
}

/** Each number once and in order, by leaders one after the other. */
function expectWritten(account: string, rows: readonly Row[]): void {
  expect(rows.length, account).toBeGreaterThan(1)
  expect(
    rows.map(({ number }) => number),
    account,
  ).toEqual(rows.map((_, index) => index + 1))
  const tokens = rows.map(({ token }) => token)
  expect(tokens, account).toEqual(tokens.toSorted((one, other) => one - other))
  expect(new Set(tokens).size, account).toBeLessThanOrEqual(3)
}
