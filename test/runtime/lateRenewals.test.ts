/** An event loop that is blocked delays the renewals: the client says so, and what to do. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Client, LEASE_MS, MARGIN_MS, RENEW_MS, VALID_MS, World } from '../support/world.ts'

/** A tenth of the lease duration. */
const WORTH_A_WARNING_MS = LEASE_MS / 10

let world: World
let client: Client

beforeEach(async () => {
  world = new World()
  client = world.client()
  await world.settle()
})
afterEach(() => world.end())

const warnings = () => client.log.of('warn').filter(({ message }) => message.startsWith('A renewal is late'))

test('a renewal that leaves late is warned of once, with how late it is and how much time is left', async () => {
  await world.time.block(RENEW_MS + 2_000)
  await world.settle()
  expect(warnings()).toMatchObject([{ details: { lateMs: 2_000, remainingMs: VALID_MS - RENEW_MS - 2_000 } }])
  expect(warnings()[0]!.message).toContain('worker thread')
  await world.pass(5 * RENEW_MS)
  expect(warnings()).toHaveLength(1)
  await world.time.block(2 * RENEW_MS)
  await world.settle()
  expect(warnings()).toHaveLength(2)
})

test('one that comes too late for the session is warned of, too', async () => {
  await world.time.block(LEASE_MS + 1_000)
  await world.settle()
  expect(warnings()).toMatchObject([{ details: { lateMs: LEASE_MS + 1_000 - RENEW_MS, remainingMs: 0 } }])
  expect(client.of('session.lost')).toHaveLength(1)
})

test('a small delay is no news', async () => {
  await world.time.block(RENEW_MS + WORTH_A_WARNING_MS)
  await world.settle()
  expect(warnings()).toEqual([])
  await world.time.block(RENEW_MS + WORTH_A_WARNING_MS + 1)
  await world.settle()
  expect(warnings()).toHaveLength(1)
})

test('a store that fails is no blocked event loop, however long the renewals are repeated', async () => {
  client.road.trouble('renew', () => Promise.reject(new Error('refused')))
  await world.pass(LEASE_MS - MARGIN_MS - 1)
  client.road.heal()
  await world.pass(3 * RENEW_MS)
  expect(warnings()).toEqual([])
})
