/** What the ZooKeeper store keeps, where and for how long, for whom, and what it makes of servers and records that are not as it needs them. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ZooKeeperOptions, zookeeper } from '../../src/backends/zookeeper/index.ts'
import { encodeName, inOrder, pathsIn } from '../../src/backends/zookeeper/paths.ts'
import { formatRoot, tokenOf } from '../../src/backends/zookeeper/records.ts'
import { type Client, freshNamespace, openClient, until } from '../support/store-client.ts'
import { isZooKeeperMissing, ZooKeeperServer } from '../support/zookeeper-server.ts'
import { rawClient, readTree } from '../support/zookeeper-tree.ts'

const TICK_MS = 50
const LEASE_MS = 30_000

let server: ZooKeeperServer
let namespace: string
let root: string
const cleanUps: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  if (!isZooKeeperMissing) server = await ZooKeeperServer.start({ tickTimeMs: TICK_MS })
})
afterAll(() => server?.dispose())

beforeEach(() => {
  namespace = freshNamespace()
  root = `/simba/${namespace}`
})
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

interface Entrance extends ZooKeeperOptions {
  readonly node?: string
  readonly url?: string
  readonly leaseDurationMs?: number
  readonly renewIntervalMs?: number
}

async function enter(entrance: Entrance = {}): Promise<Client> {
  const { node = 'a', url = server.url, leaseDurationMs = LEASE_MS, renewIntervalMs = 10_000, ...options } = entrance
  const opened = await openClient(zookeeper(url, options), namespace, { node, leaseDurationMs, renewIntervalMs })
  cleanUps.push(async () => {
    await opened.player.session.close().catch(() => {})
    await opened.connection.close()
  })
  return opened
}

async function admin(digest?: string) {
  const made = await rawClient(server.port, digest)
  cleanUps.push(async () => made.destroy())
  return made
}

const left = async () => [...(await readTree(server.port, root)).keys()].map((path) => path.slice(root.length)).sort()
const NOTHING = ['', '/groups', '/holders', '/lines', '/sessions']

describe.skipIf(isZooKeeperMissing)('the nodes', () => {
  it('are gone with what they stand for', async () => {
    const a = await enter()
    const b = await enter({ node: 'b' })
    for (const lease of ['x', 'y', 'z']) {
      const token = await a.player.win(lease)
      await b.player.queue(lease, 'a')
      if (lease === 'x') await b.player.withdraw(lease)
      await a.player.free(lease, token)
      if (lease === 'y') await b.player.free(lease, await b.player.win(lease))
      if (lease === 'z') await b.player.withdraw(lease)
    }
    for (const player of [a.player, b.player]) await player.enroll('g', 4)
    expect(await left()).toHaveLength(NOTHING.length + 2 + 4)
    for (const player of [a.player, b.player]) await player.leave('g')
    await until('groups and lines are gone', async () => (await left()).length === NOTHING.length + 2)
    for (const player of [a.player, b.player]) await player.session.close()
    expect(await left()).toEqual(NOTHING)
  })

  it('do not pile up with the names of locks, be they wanted by one or by two', async () => {
    const a = await enter()
    const b = await enter({ node: 'b' })
    for (let round = 0; round < 200; round++) {
      const lease = `lock.${round}`
      const token = await a.player.win(lease)
      await b.player.queue(lease, 'a')
      await a.player.free(lease, token)
      await until('b is told', () => b.player.takeLeaseHint(lease))
      if (round % 2 === 0) await b.player.free(lease, await b.player.win(lease))
      else await b.player.withdraw(lease)
    }
    await until('the lines are gone', async () => (await left()).length === NOTHING.length + 2)
    await until('nothing is watched', async () => /Total watches:0\b/.test(await server.ask('wchs')))
  })

  it('of a line are gone with the last one who waits, in whatever order they leave', async () => {
    const players = await Promise.all(['a', 'b', 'c', 'd'].map(async (node) => (await enter({ node })).player))
    const token = await players[0]!.win('x')
    for (const player of players.slice(1)) await player.queue('x', 'a')
    await players[2]!.withdraw('x')
    await players[0]!.free('x', token)
    await players[3]!.withdraw('x')
    await players[1]!.withdraw('x')
    await until('the line is gone', async () => !(await left()).some((path) => path.startsWith('/lines/')))
  })

  it('are below the path of the URL, which need not be there yet', async () => {
    const path = `/chroot-${namespace}/b c`
    const inside = await enter({ url: `zookeeper://${server.host}${encodeURI(path)}/?tickTime=${TICK_MS}` })
    const outside = await enter({ node: 'outside' })
    const token = await inside.player.win('x')
    await outside.player.win('x')
    expect(await inside.connection.leaders(['x'])).toEqual([{ node: 'a', token }])
    const tree = await readTree(server.port, `${path}/simba/${namespace}`)
    expect([...tree.keys()]).toContain(`${path}/simba/${namespace}/holders/x`)
  })

  it('belong to the user alone whom the client was given', async () => {
    const owner = { username: 'simba', password: 's e:c/r@t' }
    const { player } = await enter(owner)
    await player.win('x')
    const url = `zookeeper://simba:${encodeURIComponent(owner.password)}@${server.host}?tickTime=${TICK_MS}`
    await (await enter({ url, node: 'b' })).player.queue('x', 'a')
    for (const options of [{}, { username: 'simba', password: 'wrong' }]) {
      await expect(enter(options)).rejects.toMatchObject({
        code: 'BACKEND_UNAVAILABLE',
        message: expect.stringMatching(/NoAuth.*give all clients the same/),
      })
    }
    const { data } = await (await admin(`simba:${owner.password}`)).data(`${root}/holders/x`)
    expect(JSON.parse(data)).toEqual({ node: 'a', session: player.session.id })
  })

  it('have safe names, whatever they are named after', async () => {
    const { player } = await enter()
    for (const name of ['.', '..', '...', 'a/b', '/', '', 'é', '\u0000', '%2f', 'zookeeper', 'x'.repeat(500)]) {
      const token = await player.win(name)
      await player.enroll(name, 4)
      await player.free(name, token)
      await player.leave(name)
    }
    const names = ['', '%', '.', '%2e', '..', '.%2e', 'a/b', 'a%2fb', 'A', 'a', 'é', 'e']
    expect(new Set(names.map(encodeName)).size).toBe(names.length)
    for (const name of names) expect(encodeName(name)).toMatch(/^[^./][^/]*$/)
    expect(encodeName('Order.42_b-c:d')).toBe('Order.42_b-c:d')
  })
})

describe.skipIf(isZooKeeperMissing)('members', () => {
  it('never have two numbers of partitions, whoever comes at the same time, and whatever was left of the group', async () => {
    const players = await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f'].map(async (node) => (await enter({ node })).player),
    )
    const operator = await admin()
    const container = (path: string) => operator.change({ type: 'create', path, data: '', kind: 'container' })
    for (let round = 0; round < 30; round++) {
      const group = `g${round}`
      if (round % 3 > 0) await container(`${root}/groups/${group}`)
      if (round % 3 > 1) await container(`${root}/groups/${group}/16`)
      const answers = await Promise.all(players.map((player, at) => player.join(group, at % 2 === 0 ? 4 : 8)))
      const { members } = await players[0]!.members(group)
      const [partitions] = members.map((member) => member.partitions)
      expect(members.map((member) => member.partitions)).toEqual([partitions, partitions, partitions])
      for (const [at, answer] of answers.entries()) {
        const isSame = (at % 2 === 0 ? 4 : 8) === partitions
        expect(answer).toEqual(isSame ? { kind: 'joined' } : { kind: 'mismatch', partitions })
      }
      await Promise.all(players.map((player) => player.leave(group)))
    }
  })
})

describe.skipIf(isZooKeeperMissing)('records', () => {
  it('of another format are refused, by sessions and by readers', async () => {
    const operator = await admin()
    const { connection } = await enter()
    const root = `/simba/${namespace}`
    const write = (data: string) => operator.change({ type: 'set', path: root, data, version: -1 })
    for (const [data, found] of [
      ['{"format":2,"base":1}', 'records of format 2'],
      ['{"format":1,"base":"x"}', 'records of format 1'],
      ['hello', 'something else'],
      ['', 'something else'],
    ] as const) {
      await write(data)
      const refused = { code: 'BACKEND_FORMAT', message: expect.stringContaining(`${found} at ${root}`) }
      await expect(enter()).rejects.toMatchObject(refused)
      await expect(connection.leaders(['x'])).rejects.toMatchObject(refused)
    }
  })

  it('of leases and members that nobody here has written are a fault, and no answer', async () => {
    const { player, connection } = await enter()
    const operator = await admin()
    await operator.change({ type: 'create', path: `${root}/holders/x`, data: 'hello', kind: 'persistent' })
    const fault = { code: 'BACKEND_UNAVAILABLE', message: expect.stringContaining('unexpected') }
    await expect(connection.leaders(['x'])).rejects.toMatchObject(fault)
    await expect(player.campaign('x')).rejects.toMatchObject(fault)
    await operator.change({ type: 'delete', path: `${root}/holders/x`, version: -1 })
    await player.win('x')
  })

  it('make tokens of transaction ids, which go on above the wall clock where an ensemble counts anew', () => {
    const base = (wallMs: number, zxid: bigint): number => JSON.parse(formatRoot(wallMs, zxid)).base
    const wallMs = Date.UTC(2026, 0, 1)
    expect(tokenOf(base(wallMs, 5n), 6n)).toBe(wallMs * 1_000 + 1)
    const old = (700_000n << 32n) | 17n
    expect(tokenOf(base(wallMs, old), old + 1n)).toBe(Number(old) + 1)
    expect(base(Number.MAX_SAFE_INTEGER, 0n)).toBe(2 ** 52)
    expect(() => tokenOf(base(wallMs, 5n), 1n << 53n)).toThrow(expect.objectContaining({ code: 'BACKEND_UNAVAILABLE' }))
  })

  it('of candidates are read in the order in which they came, also where the server’s 32 bits have run over', () => {
    const line = ['c--2147483648', 'a-2147483646', 'd--2147483647', 'b-2147483647']
    expect(inOrder(line)).toEqual(['a-2147483646', 'b-2147483647', 'c--2147483648', 'd--2147483647'])
    expect(inOrder(['b-0000000010', 'c-0000000011', 'a-0000000009'])).toEqual([
      'a-0000000009',
      'b-0000000010',
      'c-0000000011',
    ])
  })
})

describe.skipIf(isZooKeeperMissing)('a session', () => {
  it('is refused where the server would keep it for another time than its lease lasts', async () => {
    const strict = await ZooKeeperServer.start({
      tickTimeMs: TICK_MS,
      minSessionTimeoutMs: 2_000,
      maxSessionTimeoutMs: 4_000,
    })
    cleanUps.push(() => strict.dispose())
    const options = { url: strict.url, renewIntervalMs: 300 }
    await expect(enter({ ...options, leaseDurationMs: 5_000 })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringMatching(/5000 ms, but this ZooKeeper keeps a session for 4000 ms.*maxSessionTimeout/),
    })
    await expect(enter({ ...options, leaseDurationMs: 1_000 })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringMatching(/1000 ms, but this ZooKeeper keeps a session for 2000 ms.*minSessionTimeout/),
    })
    await enter({ ...options, leaseDurationMs: 4_000 })
    await enter({ ...options, leaseDurationMs: 2_000.5 })
  })

  it('has no more leases than the ensemble can end in one transaction', async () => {
    const { player } = await enter()
    // The longest that there are.
    const long = 'x'.repeat(120)
    let won = 0
    const more = async () => {
      for (;;) {
        const answer = await player.campaign(`${long}.${won++}`).catch((error: Error) => error.message)
        if (typeof answer === 'string') return answer
      }
    }
    const [refusal] = await Promise.all(Array.from({ length: 32 }, more))
    expect(refusal).toMatch(/as many as an ensemble can carry/)
    expect(won).toBeGreaterThan(5_000)
    await player.session.close()
    expect(await left()).toEqual(NOTHING)
  })
})

const paths = pathsIn('/c', 'n')

it('everything has its own place', () => {
  expect([paths.root, ...paths.parents]).toEqual([
    '/c/simba/n',
    '/c/simba/n/sessions',
    '/c/simba/n/holders',
    '/c/simba/n/lines',
    '/c/simba/n/groups',
  ])
  expect([paths.session('s'), paths.holder('x'), paths.line('x'), paths.group('x')]).toEqual([
    '/c/simba/n/sessions/s',
    '/c/simba/n/holders/x',
    '/c/simba/n/lines/x',
    '/c/simba/n/groups/x',
  ])
})
