/** What becomes of elections when something happens to ZooKeeper itself: one server, or an ensemble of three. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { expireOwner } from '../../support/zookeeper-expiry.ts'
import { isZooKeeperMissing } from '../../support/zookeeper-server.ts'
import type { Cluster } from './cluster.ts'
import { EVERYTHING, LEASES, settled, startsBetween } from './everything.ts'
import { findFaults } from './judge.ts'
import { machineMs } from './orders.ts'
import type { Reign } from './reigns.ts'
import {
  cluster,
  LEASE_MS,
  NOISE_MS,
  RENEW_MS,
  report,
  startProcesses,
  zooKeeperEnsemble,
  zooKeeperServer,
} from './stage.ts'

const TICK_MS = 100
/** Outlasts the restart of a server and the election of a leader. */
const STEADY = { leaseDurationMs: 10_000, renewIntervalMs: 1_000 }

startProcesses(3)

describe.skipIf(isZooKeeperMissing)('a ZooKeeper server that fails', () => {
  const server = zooKeeperServer({ tickTimeMs: TICK_MS })

  test('frozen for longer than the lease: every term ends in time, none begins, and afterwards everything is led again', async () => {
    const nodes = cluster({ backend: server().url, ...EVERYTHING })
    await nodes.start('a', 'b', 'c')
    await outlast(nodes, async (passes) => {
      server().freeze()
      await passes()
      server().thaw()
    })
  })

  test('frozen for less than the lease: every term goes on', async () => {
    const nodes = cluster({ backend: server().url, ...EVERYTHING })
    await nodes.start('a', 'b')
    const before = await settled(nodes)
    server().freeze()
    await sleep(RENEW_MS)
    server().thaw()
    await expectGoingOn(nodes, before)
  })

  test('crashed, and back in time with its data: the leaders keep their terms, and candidates need not wait', async () => {
    const nodes = cluster({ backend: server().url, ...EVERYTHING, ...STEADY })
    await nodes.start('a', 'b', 'c')
    const before = await settled(nodes)
    await server().restart('kept')
    const backMs = machineMs()
    await nodes.renewedSince(backMs)
    await expectGoingOn(nodes, before)
    const leader = before[0]!
    await nodes.order(leader.node, { do: 'retire', lease: leader.lease })
    const next = await nodes.led(leader.lease, { after: leader })
    expect(next.startedMs - leader.endedMs!).toBeLessThan(NOISE_MS)
    expect(findFaults(nodes.lines)).toEqual([])
  })

  test('restarted empty, which is an operator\u2019s act: tokens never go back, and everything is led again', async () => {
    const nodes = cluster({ backend: server().url, ...EVERYTHING })
    await nodes.start('a', 'b', 'c')
    const before = await settled(nodes)
    await server().restart('lost')
    const restartedMs = machineMs()
    const after = await Promise.all(before.map((reign) => nodes.led(reign.lease, { after: reign })))
    report(`from the restart until everything is led, with a lease of ${LEASE_MS} ms`, machineMs() - restartedMs)
    expect(after).toHaveLength(LEASES.length)
    await nodes.until('the terms from before are over', () => before.every(({ endedMs }) => endedMs !== undefined))
    expect(findFaults(nodes.lines, { overlaps: true })).toEqual([])
  })

  test('a session that is expired from outside: its terms are cut at once, and others lead', async () => {
    const nodes = cluster({ backend: server().url, elections: ['x', 'y', 'z'] })
    await nodes.start('a', 'b')
    const terms = await nodes.allLed(['x', 'y', 'z'])
    const victim = terms[0]!.session
    const expiredMs = machineMs()
    await expireOwner(server().port, `/simba/${nodes.namespace}/sessions/${victim}`)
    const lost = terms.filter(({ session }) => session === victim)
    for (const reign of lost) await nodes.led(reign.lease, { after: reign })
    await nodes.until('the terms are over', () => lost.every(({ endedMs }) => endedMs !== undefined))
    for (const reign of lost) {
      expect(reign.reason).toBe('session-lost')
      expect(reign.endedMs! - expiredMs).toBeLessThan(RENEW_MS + NOISE_MS)
    }
    // Between the server's doing it and the client's hearing of it, another one may lead.
    expect(findFaults(nodes.lines, { overlaps: true })).toEqual([])
  })

  test('a leader that stops cleanly while the next in line stands still: somebody else leads within a lease duration', async () => {
    const nodes = cluster({ backend: server().url, elections: ['x'] })
    await nodes.start('a')
    const first = await nodes.led('x', { by: 'a' })
    for (const name of ['b', 'c']) {
      await nodes.start(name)
      await nodes.renewedSince(machineMs())
    }
    nodes.node('b').pause()
    await nodes.order('a', { do: 'stop' })
    const next = await nodes.led('x', { after: first, by: 'c' })
    const tookMs = next.startedMs - first.endedMs!
    report(`handover past a candidate that stands still, with a lease of ${LEASE_MS} ms`, tookMs)
    expect(tookMs).toBeLessThan(LEASE_MS * 1.1 + 2 * TICK_MS + NOISE_MS)
    nodes.node('b').resume()
    expect(findFaults(nodes.lines)).toEqual([])
  })
})

describe.skipIf(isZooKeeperMissing)('a ZooKeeper ensemble that fails', () => {
  const ensemble = zooKeeperEnsemble({ tickTimeMs: TICK_MS })

  test('without a quorum for longer than the lease: every term ends in time, none begins, and afterwards everything is led again', async () => {
    const nodes = cluster({ backend: ensemble().url, ...EVERYTHING })
    await nodes.start('a', 'b', 'c')
    const [one, other] = ensemble().servers
    await outlast(nodes, async (passes) => {
      for (const server of [one!, other!]) server.freeze()
      await passes()
      await ensemble().mend()
    })
  })

  test('each server crashes in turn, the leader too: no term is lost', async () => {
    const nodes = cluster({ backend: ensemble().url, ...EVERYTHING, ...STEADY })
    await nodes.start('a', 'b', 'c')
    const before = await settled(nodes)
    for (const server of ensemble().servers) {
      await server.restart('kept')
      await nodes.renewedSince(machineMs())
    }
    await expectGoingOn(nodes, before)
    expect(findFaults(nodes.lines)).toEqual([])
  })

  test('kill -9 of a leader: another one leads within one lease duration, a tenth and two ticks', async () => {
    const nodes = cluster({ backend: ensemble().url, elections: ['x'] })
    await nodes.start('a', 'b', 'c')
    const leader = await nodes.led('x')
    nodes.node(leader.node).kill()
    const killedMs = machineMs()
    const next = await nodes.led('x', { after: leader })
    report(`failover after kill -9 with a lease of ${LEASE_MS} ms`, next.startedMs - killedMs)
    expect(next.startedMs - killedMs).toBeLessThan(LEASE_MS * 1.1 + 2 * TICK_MS + NOISE_MS)
    expect(findFaults(nodes.lines)).toEqual([])
  })
})

/** Everything is led, until this fault has lasted for longer than a lease. */
async function outlast(nodes: Cluster, fault: (passes: () => Promise<void>) => Promise<void>): Promise<void> {
  const before = await settled(nodes)
  const brokenMs = machineMs()
  await fault(async () => {
    await nodes.until('all terms are over', () => nodes.reigns.every(({ endedMs }) => endedMs !== undefined))
    const late = nodes.reigns.filter(({ endedMs }) => endedMs! > brokenMs)
    expect(new Set(late.map(({ reason }) => reason))).toEqual(new Set(['expired']))
    await nodes.until('the store would have forgotten them', () => machineMs() > brokenMs + LEASE_MS * 1.1)
  })
  const mendedMs = machineMs()
  const after = await nodes.allLed(LEASES)
  report('from the end of the fault until everything is led', machineMs() - mendedMs)
  for (const [index, reign] of after.entries()) expect(reign.token).toBeGreaterThan(before[index]!.token)
  expect(startsBetween(nodes, brokenMs, brokenMs + LEASE_MS)).toEqual([])
  expect(findFaults(nodes.lines)).toEqual([])
}

/** After everybody has renewed, these are still the terms. */
async function expectGoingOn(nodes: Cluster, before: readonly Reign[]): Promise<void> {
  await nodes.renewedSince(machineMs())
  expect(LEASES.map((lease) => nodes.reign(lease)?.token)).toEqual(before.map(({ token }) => token))
  expect(nodes.lines.filter(({ type }) => type === 'session.lost')).toEqual([])
  expect(findFaults(nodes.lines)).toEqual([])
}
