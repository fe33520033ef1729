/** Three processes on one SQLite file, of which the leader is stopped, killed or paused. */
import { describe, expect, test } from 'vitest'
import { balanced, untouched } from './groups.ts'
import { findFaults } from './judge.ts'
import { machineMs } from './orders.ts'
import { cluster, LEASE_MS, NOISE_MS, report, SLOW, sqliteFile, startProcesses } from './stage.ts'

/** The backend's default. */
const POLL_MS = 100

const PARTITIONS = 16

startProcesses(3)

describe('nodes on SQLite', () => {
  test('a clean stop of the leader hands over within a poll interval', async () => {
    const nodes = cluster({ backend: sqliteFile(), elections: ['x'], cleanUpMs: 30, ...SLOW })
    await nodes.start('a', 'b', 'c')
    let leader = await nodes.led('x')
    for (const order of [{ do: 'retire', lease: 'x' }, { do: 'stop' }] as const) {
      await nodes.order(leader.node, order)
      const next = await nodes.led('x', { after: leader })
      const tookMs = next.startedMs - leader.leftMs!
      report(`handover after '${order.do}', from the exit of the work to the next term`, tookMs)
      expect(leader).toMatchObject({ reason: 'stopped', isConfirmed: true })
      // Found by the next look.
      expect(tookMs).toBeLessThan(POLL_MS + NOISE_MS)
      leader = next
    }
    expect(findFaults(nodes.lines)).toEqual([])
  })

  test('kill -9 of a node, then SIGSTOP of a second: what they had is led by the others after a lease duration and a poll', async () => {
    const nodes = cluster({ backend: sqliteFile(), elections: ['x'], groups: { g: PARTITIONS } })
    await nodes.start('a', 'b', 'c')
    const before = await balanced(nodes, PARTITIONS, ['a', 'b', 'c'])
    const first = await nodes.led('x')
    nodes.node(first.node).kill()
    const killedMs = machineMs()
    const second = await nodes.led('x', { after: first })
    report(`failover after kill -9 with a lease of ${LEASE_MS} ms`, second.startedMs - killedMs)
    expect(second.startedMs - killedMs).toBeLessThan(LEASE_MS * 1.1 + POLL_MS + NOISE_MS)
    const after = await balanced(
      nodes,
      PARTITIONS,
      nodes.names.filter((name) => name !== first.node),
    )
    // What has not moved runs on.
    expect(untouched(before, after)).toHaveLength(before.filter(({ node }) => node !== first.node).length)

    nodes.node(second.node).pause()
    const pausedMs = machineMs()
    const third = await nodes.led('x', { after: second })
    report(`failover after SIGSTOP with a lease of ${LEASE_MS} ms`, third.startedMs - pausedMs)
    await balanced(nodes, PARTITIONS, [third.node])
    nodes.node(second.node).resume()
    const back = await nodes.standstill(second.node, pausedMs)
    expect(back.terms).toContainEqual({ lease: 'x', token: second.token, isValid: false })
    await nodes.until('the paused term has ended', () => second.endedMs !== undefined)
    expect(second.reason).toMatch(/^(expired|session-lost)$/)

    await balanced(nodes, PARTITIONS, [second.node, third.node])
    void nodes.order(third.node, { do: 'leave' })
    expect(await nodes.exit(third.node)).toEqual({ code: 0, signal: null })
    await nodes.led('x', { after: third, by: second.node })
    expect(findFaults(nodes.lines)).toEqual([])
  })
})
