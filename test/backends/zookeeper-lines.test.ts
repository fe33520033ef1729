/** What many candidates and many leases cost a ZooKeeper server, and what becomes of a line with somebody in it who does not move. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Player } from '../../src/backends/contract/player.ts'
import { zookeeper } from '../../src/backends/zookeeper/index.ts'
import { type Client, freshNamespace, openClient, until } from '../support/store-client.ts'
import { isZooKeeperMissing, ZooKeeperServer } from '../support/zookeeper-server.ts'

const TICK_MS = 100
const LONG = { leaseDurationMs: 60_000, renewIntervalMs: 20_000 }
const CANDIDATES = 1_000
const PARTITIONS = 10_000
/** As many commands as a client sends at a time. */
const LANE = 64

let server: ZooKeeperServer
let namespace: string
const cleanUps: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  if (!isZooKeeperMissing) server = await ZooKeeperServer.start({ tickTimeMs: TICK_MS })
})
afterAll(() => server?.dispose())

beforeEach(() => {
  namespace = freshNamespace()
})
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function enter(options: Partial<typeof LONG> & { readonly node?: string } = {}): Promise<Client> {
  const opened = await openClient(zookeeper(server.url), namespace, { ...LONG, ...options })
  cleanUps.push(() => opened.connection.close())
  return opened
}

/** How many messages the server has sent to its clients so far. */
async function sent(): Promise<number> {
  return Number(/zk_packets_sent\s+(\d+)/.exec(await server.ask('mntr'))?.[1])
}

/** Runs all of them, so many at a time. */
async function inLanes<T>(items: readonly T[], run: (item: T) => Promise<unknown>): Promise<void> {
  const waiting = [...items]
  const lane = async () => {
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) await run(item)
  }
  await Promise.all(Array.from({ length: LANE }, lane))
}

describe.skipIf(isZooKeeperMissing)('a line', () => {
  it(`of ${CANDIDATES} candidates: a release wakes one of them, and so does each that leaves`, async () => {
    const { player: holder, connection } = await enter({ node: 'holder' })
    let token = await holder.win('x')
    const line = Array.from({ length: CANDIDATES }, (_, n) => new Player(connection, { ...LONG, node: `n${n}` }))
    await inLanes([...line].reverse(), (player) => player.open())
    for (const player of line.slice(0, 10)) await player.queue('x', 'holder')
    await inLanes(line.slice(10), (player) => player.queue('x', 'holder'))
    await inLanes(line, (player) => player.inbox())

    const before = await sent()
    await holder.free('x', token)
    await until('the first one is told', () => line[0]!.takeLeaseHint('x'))
    token = await line[0]!.win('x')
    // The next in line is told that it is the first one now, by which it is not woken; and what the two asked is answered.
    expect((await sent()) - before).toBeLessThan(20)
    expect(line.flatMap(({ hints }) => hints)).toEqual([])

    // Leaving from the middle concerns the one behind alone.
    const between = await sent()
    await line[2]!.withdraw('x')
    await line[3]!.inbox()
    expect((await sent()) - between).toBeLessThan(20)
    await line[0]!.free('x', token)
    await until('the next one is told', () => line[1]!.takeLeaseHint('x'))
    await line[1]!.free('x', await line[1]!.win('x'))
    await until('the one behind the gap is told', () => line[3]!.takeLeaseHint('x'))
    expect(line.flatMap(({ hints }) => hints)).toEqual([])
    await inLanes(line, (player) => player.session.close())
  }, 120_000)

  it('whose first one does not move: others find the lease free at their second look, and its place is kept', async () => {
    const brief = { leaseDurationMs: 60_000, renewIntervalMs: 400 }
    const a = await enter({ node: 'a', ...brief })
    const b = await enter({ node: 'b', ...brief })
    const c = await enter({ node: 'c', ...brief })
    const token = await a.player.win('x')
    await b.player.queue('x', 'a')
    await c.player.queue('x', 'a')
    for (let round = 0; round < 3; round++) {
      await c.player.renewed()
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
    expect(c.player.hints).toEqual([])
    await a.player.free('x', token)
    await until('the first one is told', () => b.player.takeLeaseHint('x'))
    const freedMs = performance.now()
    // It stands still. The next one renews all the time, and has nobody to tell it.
    await until('the next one has found it', async () => {
      await c.player.renewed()
      return c.player.takeLeaseHint('x')
    })
    expect(performance.now() - freedMs).toBeGreaterThan(brief.renewIntervalMs / 2)
    const taken = await c.player.win('x')
    expect((await b.player.inbox()).freed).toEqual([])
    await c.player.free('x', taken)
    await until('the first one is told again', () => b.player.takeLeaseHint('x'))
    await b.player.win('x')
  })
})

describe.skipIf(isZooKeeperMissing)('a session', () => {
  it(`has ${PARTITIONS} leases at the cost of one write each, renews them with one, and ends them with one`, async () => {
    const { player } = await enter()
    const watcher = await enter({ node: 'watcher' })
    const leases = Array.from({ length: PARTITIONS }, (_, partition) => `g.${partition}`)
    const before = await sent()
    const startedMs = performance.now()
    await inLanes(leases, (lease) => player.win(lease))
    console.info(`${PARTITIONS} leases taken in ${Math.round(performance.now() - startedMs)} ms`)
    expect((await sent()) - before).toBeLessThan(PARTITIONS + 50)

    const between = await sent()
    for (let round = 0; round < 10; round++) await player.renewed(PARTITIONS)
    expect((await sent()) - between).toBeLessThan(10 + 10)
    expect(await watcher.connection.leaders([leases[0]!, leases.at(-1)!])).not.toContain(null)
    await player.session.close()
    expect(await watcher.connection.leaders(leases)).toEqual(leases.map(() => null))
  }, 120_000)
})
