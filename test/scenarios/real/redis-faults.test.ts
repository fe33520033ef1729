/** What becomes of elections when something happens to the Redis server itself: frozen, crashed, emptied, set back. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import type { RedisServer } from '../../support/redis-server.ts'
import { EVERYTHING, LEASES, settled, startsBetween } from './everything.ts'
import { findFaults } from './judge.ts'
import { type Line, machineMs } from './orders.ts'
import { cluster, isRedisMissing, LEASE_MS, NOISE_MS, RENEW_MS, redisServer, report, startProcesses } from './stage.ts'

startProcesses(3)

describe.skipIf(isRedisMissing)('a Redis server that fails', () => {
  const server = redisServer()
  const persistent = redisServer({ persistent: true })
  const another = redisServer({ persistent: true })

  test('frozen for longer than the lease: every term ends in time, none begins, and afterwards everything is led again', async () => {
    const nodes = cluster({ backend: server().url, ...EVERYTHING })
    await nodes.start('a', 'b', 'c')
    const before = await settled(nodes)
    server().freeze()
    const frozenMs = machineMs()
    await nodes.until('all terms are over', () => nodes.reigns.every(({ endedMs }) => endedMs !== undefined))
    expect(new Set(nodes.reigns.filter(({ endedMs }) => endedMs! > frozenMs).map(({ reason }) => reason))).toEqual(
      new Set(['expired']),
    )
    await nodes.until('the store would have forgotten them', () => machineMs() > frozenMs + LEASE_MS * 1.1)
    server().thaw()
    const thawedMs = machineMs()
    const after = await nodes.allLed(LEASES)
    report('from the thaw until everything is led', machineMs() - thawedMs)
    for (const [index, reign] of after.entries()) expect(reign.token).toBeGreaterThan(before[index]!.token)
    expect(startsBetween(nodes, frozenMs, thawedMs)).toEqual([])
    expect(findFaults(nodes.lines)).toEqual([])
  })

  test('frozen for less than the lease: every term goes on', async () => {
    const nodes = cluster({ backend: server().url, ...EVERYTHING })
    await nodes.start('a', 'b')
    const before = await settled(nodes)
    server().freeze()
    await sleep(RENEW_MS * 1.5)
    server().thaw()
    await nodes.renewedSince(machineMs())
    expect(LEASES.map((lease) => nodes.reign(lease)?.token)).toEqual(before.map(({ token }) => token))
    expect(nodes.lines.filter(({ type }) => type === 'session.lost')).toEqual([])
    expect(findFaults(nodes.lines)).toEqual([])
  })

  test('SCRIPT FLUSH goes unnoticed', async () => {
    const nodes = cluster({ backend: server().url, ...EVERYTHING })
    await nodes.start('a', 'b')
    await settled(nodes)
    await command(server(), (redis) => redis.script('FLUSH'))
    const flushedMs = machineMs()
    await nodes.renewedSince(flushedMs)
    const isNews = ({ type }: Line) => /^(term|handover|session\.(lost|opened))/.test(type)
    expect(nodes.lines.filter((line) => line.atMs > flushedMs && isNews(line))).toEqual([])
    expect(findFaults(nodes.lines)).toEqual([])
  })

  test('FLUSHALL ends everything within a renew interval, everything is led again, and tokens never go back', async () => {
    const nodes = cluster({ backend: server().url, ...EVERYTHING })
    await nodes.start('a', 'b', 'c')
    const before = await settled(nodes)
    const flushedMs = machineMs()
    await command(server(), (redis) => redis.flushall())
    await Promise.all(before.map((reign) => nodes.led(reign.lease, { after: reign })))
    await nodes.until('the terms from before are over', () => before.every(({ endedMs }) => endedMs !== undefined))
    for (const { endedMs, reason } of before) {
      // Moved, where a member has seen the others join the emptied group before it renewed itself.
      expect(reason).toMatch(/^(session-lost|moved)$/)
      expect(endedMs! - flushedMs).toBeLessThan(RENEW_MS + NOISE_MS)
    }
    // An operator's act: until then, terms may overlap.
    expect(findFaults(nodes.lines, { overlaps: true })).toEqual([])
  })

  test('restarted empty: nothing is granted for one lease duration, tokens go on growing, and everything is led again', async () => {
    const nodes = cluster({ backend: server().url, ...EVERYTHING })
    await nodes.start('a', 'b', 'c')
    const before = await settled(nodes)
    const restartedMs = machineMs()
    await server().restart('lost')
    const after = await Promise.all(before.map((reign) => nodes.led(reign.lease, { after: reign })))
    report(`from the restart until everything is led, with a lease of ${LEASE_MS} ms`, machineMs() - restartedMs)
    expect(startsBetween(nodes, restartedMs, restartedMs + LEASE_MS)).toEqual([])
    expect(after).toHaveLength(LEASES.length)
    expect(findFaults(nodes.lines)).toEqual([])
  })

  test('crashed, and back in time with its data: the leaders keep their terms, and candidates wait out the quarantine', async () => {
    const nodes = cluster({ backend: persistent().url, ...EVERYTHING })
    await nodes.start('a', 'b', 'c')
    const before = await settled(nodes)
    const crashedMs = machineMs()
    await persistent().restart('kept')
    await nodes.renewedSince(machineMs())
    expect(startsBetween(nodes, crashedMs, machineMs())).toEqual([])
    expect(nodes.reigns.filter(({ revokedMs }) => revokedMs! > crashedMs)).toEqual([])

    const leader = before[0]!
    await nodes.order(leader.node, { do: 'retire', lease: leader.lease })
    const next = await nodes.led(leader.lease, { after: leader })
    expect(next.startedMs - crashedMs).toBeGreaterThan(LEASE_MS)
    expect(findFaults(nodes.lines)).toEqual([])
  })

  test('set back to a backup: what it remembers goes on, and a grant that it has forgotten is cut', async () => {
    // The backup must not be older than the lease when it is put back.
    const leaseDurationMs = 1.5 * LEASE_MS
    const nodes = cluster({ backend: another().url, elections: ['kept'], leaseDurationMs })
    await nodes.start('a', 'b')
    const kept = await nodes.led('kept')
    await nodes.renewedSince(machineMs())
    const backup = another().backup()
    await nodes.order(kept.node, { do: 'contend', leases: ['forgotten'] })
    const forgotten = await nodes.led('forgotten')
    const crashedMs = machineMs()
    await another().restart({ backup })

    const again = await nodes.led('forgotten', { after: forgotten })
    expect(forgotten).toMatchObject({ reason: 'forgotten' })
    expect(again.startedMs - crashedMs).toBeGreaterThan(leaseDurationMs)
    expect(nodes.reign('kept')).toBe(kept)
    expect(findFaults(nodes.lines)).toEqual([])
  })
})

async function command(server: RedisServer, send: (redis: Redis) => Promise<unknown>): Promise<void> {
  const redis = new Redis(server.url)
  try {
    await send(redis)
  } finally {
    redis.disconnect()
  }
}
