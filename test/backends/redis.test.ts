/** The Redis store keeps the contract of all backends, on a real server. What is its own is in the files beside this one. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { contractCases } from '../../src/backends/contract.ts'
import { redis } from '../../src/backends/redis/index.ts'
import { RedisServer } from '../support/redis-server.ts'

const TIMEOUT_MS = 60_000
/** Longer than it takes to restart a server twice on a busy machine. */
const LEASE_WITH_RESTARTS_MS = 3_000

// Nearly all of their time is waiting for real leases to run out, and each has a namespace of its own.
describe.concurrent('the Redis store', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server.dispose())

  for (const { name, needs, run } of contractCases) {
    if (needs !== 'restart') it(name, () => run({ backend: () => redis(server.url), pass: sleep }), TIMEOUT_MS)
  }
})

describe.concurrent('the Redis store, restarted', () => {
  for (const { name, needs, run } of contractCases) {
    if (needs === 'restart') it(name, () => withServerOfItsOwn(run), TIMEOUT_MS)
  }
})

async function withServerOfItsOwn(run: (typeof contractCases)[number]['run']): Promise<void> {
  const server = await RedisServer.start({ persistent: true })
  // It knows its age in whole seconds, and younger than this it is taken for younger still by whoever asks later.
  await sleep(1_000)
  try {
    await run({
      backend: () => redis(server.url),
      pass: sleep,
      restart: (data) => server.restart(data),
      leaseDurationMs: LEASE_WITH_RESTARTS_MS,
    })
  } finally {
    await server.dispose()
  }
}
