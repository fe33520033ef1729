/**
 * What becomes of an election on a store when something happens to one of its nodes: real processes, real signals. The same for every
 * store with a server.
 */
import { expect, test } from 'vitest'
import type { Cluster } from './cluster.ts'
import { balanced, untouched } from './groups.ts'
import { findFaults } from './judge.ts'
import { type Line, machineMs } from './orders.ts'
import type { Reign } from './reigns.ts'
import { cluster, LEASE_MS, NOISE_MS, report, SLOW } from './stage.ts'

const PARTITIONS = 16

export interface StoreUnderTest {
  readonly url: () => string
  /** From the death of a leader until the next one leads, at most. */
  readonly failoverMs: number
  /** Everything that it holds, as text to look for something in. */
  readonly dump: () => Promise<string>
  /** After all nodes have left. */
  readonly expectNothingOf: (namespace: string) => Promise<void>
}

export function nodeScenarios(store: StoreUnderTest): void {
  test('kill -9 of the leader: another one leads within one lease duration and a tenth, and never before the deadline', async () => {
    const nodes = cluster({ backend: store.url(), elections: ['x'] })
    await nodes.start('a', 'b', 'c')
    const leader = await nodes.led('x')
    nodes.node(leader.node).kill()
    const killedMs = machineMs()
    const next = await nodes.led('x', { after: leader })
    const tookMs = next.startedMs - killedMs
    report(`failover after kill -9 with a lease of ${LEASE_MS} ms`, tookMs)
    expect(tookMs).toBeLessThan(store.failoverMs + NOISE_MS)
    expect(findFaults(nodes.lines)).toEqual([])
  })

  test('a leader that is paused for longer than its lease finds its term over at once, while another one leads', async () => {
    const nodes = cluster({ backend: store.url(), elections: ['x'] })
    await nodes.start('a', 'b', 'c')
    const leader = await nodes.led('x')
    const pausedMs = machineMs()
    nodes.node(leader.node).pause()
    const next = await nodes.led('x', { after: leader })
    report(`failover after SIGSTOP with a lease of ${LEASE_MS} ms`, next.startedMs - pausedMs)
    nodes.node(leader.node).resume()
    await findsItOver(nodes, leader, pausedMs)
    await contendsAgain(nodes, leader.node)
    expect(findFaults(nodes.lines)).toEqual([])
  })

  test('a leader whose event loop is blocked for longer than its lease finds its term over at once, while another one leads', async () => {
    const nodes = cluster({ backend: store.url(), elections: ['x'] })
    await nodes.start('a', 'b')
    const leader = await nodes.led('x')
    const blockedMs = machineMs()
    const blocked = nodes.order(leader.node, { do: 'block', forMs: LEASE_MS * 1.25 })
    await nodes.led('x', { after: leader, notBy: leader.node })
    await blocked
    await findsItOver(nodes, leader, blockedMs)
    await contendsAgain(nodes, leader.node)
    expect(findFaults(nodes.lines)).toEqual([])
  })

  test('a leader that steps down makes room at once and stays away for a lease duration', async () => {
    const nodes = cluster({ backend: store.url(), elections: ['x'] })
    await nodes.start('a', 'b')
    const leader = await nodes.led('x')
    await nodes.order(leader.node, { do: 'step down', lease: 'x' })
    const next = await nodes.led('x', { after: leader })
    await nodes.handedOver([leader])
    expect(leader).toMatchObject({ reason: 'stepped-down', isConfirmed: true })
    expect(next.startedMs - leader.revokedMs!).toBeLessThan(NOISE_MS)
    // The lease is free now, and yet it waits.
    await nodes.order(next.node, { do: 'stop' })
    const again = await nodes.led('x', { after: next, by: leader.node })
    expect(again.startedMs - leader.endedMs!).toBeGreaterThan(LEASE_MS - 1)
    expect(findFaults(nodes.lines)).toEqual([])
  })

  test(`${PARTITIONS} partitions on three nodes: what a killed one had is taken over, and given back when it returns; the rest runs on`, async () => {
    const nodes = cluster({ backend: store.url(), groups: { g: PARTITIONS } })
    await nodes.start('a', 'b', 'c')
    const first = await balanced(nodes, PARTITIONS, ['a', 'b', 'c'])

    nodes.node('a').kill()
    const killedMs = machineMs()
    const second = await balanced(nodes, PARTITIONS, ['b', 'c'])
    const tookMs = Math.max(...second.map(({ startedMs }) => startedMs)) - killedMs
    report(`from kill -9 until all partitions of the node are led again, with a lease of ${LEASE_MS} ms`, tookMs)
    expect(tookMs).toBeLessThan(store.failoverMs + NOISE_MS)
    // What has not moved runs on.
    expect(untouched(first, second)).toHaveLength(first.filter(({ node }) => node !== 'a').length)

    await nodes.start('d')
    const third = await balanced(nodes, PARTITIONS, ['b', 'c', 'd'])
    expect(third.filter(({ node }) => node === 'd').length).toBeGreaterThan(0)
    expect(untouched(second, third)).toHaveLength(third.filter(({ node }) => node !== 'd').length)
    const moved = second.filter((reign) => !third.includes(reign))
    await nodes.handedOver(moved)
    for (const reign of moved) expect(reign).toMatchObject({ reason: 'moved', isConfirmed: true })

    await nodes.order('b', { do: 'stop' })
    const fourth = await balanced(nodes, PARTITIONS, ['c', 'd'])
    expect(untouched(third, fourth)).toHaveLength(third.filter(({ node }) => node !== 'b').length)
    expect(findFaults(nodes.lines)).toEqual([])
  })

  test('a node that stops in the middle of everything leaves nothing behind, and its process ends by itself', async () => {
    const nodes = cluster({ backend: store.url(), elections: ['x', 'y'], groups: { g: 8 } })
    await nodes.start('a')
    await nodes.allLed(['x', 'y', 'g.0', 'g.7'])
    await nodes.start('b')
    await nodes.order('a', { do: 'everything else' })
    await nodes.order('b', { do: 'contend', leases: ['schedule'] })
    const sessionOf = (name: string) => nodes.lines.find(isOpening(name))!.session
    expect(await store.dump()).toContain(sessionOf('a'))

    const askedMs = machineMs()
    void nodes.order('a', { do: 'leave' })
    expect(await nodes.exit('a')).toEqual({ code: 0, signal: null })
    report('from the order to leave to the end of the process', machineMs() - askedMs)
    expect(await store.dump()).not.toContain(sessionOf('a'))
    await nodes.allLed(['x', 'y', 'schedule', ...Array.from({ length: 8 }, (_, partition) => `g.${partition}`)], {
      by: 'b',
    })

    void nodes.order('b', { do: 'leave' })
    expect(await nodes.exit('b')).toEqual({ code: 0, signal: null })
    await store.expectNothingOf(nodes.namespace)
    expect(findFaults(nodes.lines)).toEqual([])
  })

  test('a clean stop of the leader hands over within a few round trips: work first, then the lease, then the next', async () => {
    const cleanUpMs = 30
    const nodes = cluster({ backend: store.url(), elections: ['x'], cleanUpMs, ...SLOW })
    await nodes.start('a', 'b', 'c')
    let leader = await nodes.led('x')
    for (const order of [{ do: 'retire', lease: 'x' }, { do: 'stop' }] as const) {
      // Done when the release is confirmed, which may be later than the next term begins.
      const [next] = await Promise.all([nodes.led('x', { after: leader }), nodes.order(leader.node, order)])

      expect(leader).toMatchObject({ reason: 'stopped', isConfirmed: true })
      expect(leader.leftMs! - leader.revokedMs!).toBeGreaterThan(cleanUpMs - 1)
      expect(leader.endedMs).toBeGreaterThanOrEqual(leader.leftMs!)
      expect(next.startedMs).toBeGreaterThan(leader.endedMs!)
      const tookMs = next.startedMs - leader.leftMs!
      report(`handover after '${order.do}', from the exit of the work to the next term`, tookMs)
      // Found by the hint.
      expect(tookMs).toBeLessThan(NOISE_MS)
      leader = next
    }
    expect(findFaults(nodes.lines)).toEqual([])
  })
}

/** What the process that was away sees of its term the moment it is back, and what it does about it. */
async function findsItOver(nodes: Cluster, leader: Reign, sinceMs: number): Promise<void> {
  const back = await nodes.standstill(leader.node, sinceMs)
  expect(back.terms).toEqual([{ lease: 'x', token: leader.token, isValid: false }])
  await nodes.until('the term has ended', () => leader.endedMs !== undefined)
  expect(leader.reason).toMatch(/^(expired|session-lost)$/)
}

/** Alone, it leads again, with a token that is greater still. */
async function contendsAgain(nodes: Cluster, name: string): Promise<void> {
  const present = await nodes.led('x', { notBy: name })
  await nodes.until(`${name} has a session again`, () => nodes.lines.filter(isOpening(name)).length > 1)
  for (const other of nodes.names.filter((node) => node !== name)) await nodes.order(other, { do: 'stop' })
  await nodes.led('x', { after: present, by: name })
}

function isOpening(name: string) {
  return (line: Line): line is Line & { type: 'session.opened' } => line.node === name && line.type === 'session.opened'
}
