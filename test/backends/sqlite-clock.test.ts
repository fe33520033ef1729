/** Whose time counts: sessions run out by the machine's time, whatever the wall clock does, and across boots by being watched. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import type { RenewAnswer, Session } from '../../src/backends/port.ts'
import { machineClock } from '../../src/backends/sqlite/machine-clock.ts'
import { connect, enter, freshFile, HandClock, LEASE_MS } from './sqlite/stage.ts'

async function renewed(session: Session): Promise<Extract<RenewAnswer, { kind: 'renewed' }>> {
  const answer = await session.renew({ settled: 0, epoch: 1 })
  if (answer.kind !== 'renewed') throw new Error('the session has run out')
  return answer
}

test('a session from before the last boot lives until it was seen idle for its whole lease duration', async () => {
  const file = freshFile()
  const before = new HandClock('first', 9_000_000)
  const after = new HandClock('second', 5_000)
  const old = await enter(connect(file, before), 'old')
  await old.campaign('x', 1)
  const young = await enter(connect(file, after), 'young')
  expect(await young.campaign('x', 1)).toEqual({ kind: 'held', holder: 'old' })
  expect((await renewed(young)).nextExpiryInMs).toBe(LEASE_MS)
  after.pass(LEASE_MS - 1)
  expect(await renewed(young)).toMatchObject({ nextExpiryInMs: 1, inbox: { freed: [] } })
  expect(await young.campaign('x', 2)).toEqual({ kind: 'held', holder: 'old' })
  after.pass(1)
  expect((await renewed(young)).inbox.freed).toEqual(['x'])
  // Its own clock has not moved at all, and yet it is over.
  expect(await old.renew({ settled: 0, epoch: 1 })).toEqual({ kind: 'unknown' })
  await expect(old.open()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
  expect(await young.campaign('x', 3)).toMatchObject({ kind: 'granted' })
})

test('a session of another machine that renews is left alone', async () => {
  const file = freshFile()
  const [here, there] = [new HandClock('here', 5_000), new HandClock('there', 70)]
  const stranger = await enter(connect(file, there), 'stranger')
  await stranger.campaign('x', 1)
  const watcher = await enter(connect(file, here), 'watcher')
  for (let round = 0; round < 5; round++) {
    here.pass(LEASE_MS * 0.6)
    there.pass(LEASE_MS * 0.6)
    await renewed(watcher)
    await renewed(stranger)
  }
  expect(await watcher.campaign('x', 1)).toEqual({ kind: 'held', holder: 'stranger' })
  there.pass(LEASE_MS)
  expect(await stranger.look()).toEqual({ kind: 'unknown' })
})

test('what one process has seen of an old session counts for the others', async () => {
  const file = freshFile()
  const clock = new HandClock('second', 5_000)
  const old = await enter(connect(file, new HandClock('first', 9_000_000)), 'old')
  await old.campaign('x', 1)
  for (const node of ['one', 'two', 'three', 'four']) {
    const brief = await enter(connect(file, clock), node)
    await renewed(brief)
    await brief.close()
    clock.pass(LEASE_MS / 4)
  }
  const last = await enter(connect(file, clock), 'last')
  await renewed(last)
  expect(await last.campaign('x', 1)).toMatchObject({ kind: 'granted' })
})

test('processes without a common boot, as where the system names none, still see each other end', async () => {
  const file = freshFile()
  const clocks = ['p', 'q', 'r', 's'].map((boot) => new HandClock(boot, 5_000))
  const [dead, ...living] = await Promise.all(clocks.map((clock) => enter(connect(file, clock), clock.boot)))
  await dead!.campaign('x', 1)
  for (let round = 0; round < 6; round++) {
    for (const session of living) await renewed(session)
    for (const clock of clocks) clock.pass(LEASE_MS / 4)
  }
  expect(await living[1]!.campaign('x', 1)).toMatchObject({ kind: 'granted' })
  for (const session of living) await renewed(session)
})

test('steps of the wall clock move neither an expiry nor a token back', async () => {
  const file = freshFile()
  const clock = new HandClock('boot', 5_000)
  let wallMs = Date.now()
  const wall = { clock: { now: () => clock.now(), wallMs: () => wallMs } }
  const a = await enter(connect(file, clock, wall), 'a')
  const b = await enter(connect(file, clock, wall), 'b', 100 * LEASE_MS)
  const tokens: number[] = []
  let number = 0
  const day = 86_400_000
  for (const step of [day, -2 * day, day, -10_000 * day, 200_000 * day, -200_000 * day]) {
    wallMs += step
    number += 1
    const answer = await a.campaign('x', number)
    if (answer.kind === 'granted') tokens.push(answer.token)
    expect(await b.campaign('x', number)).toEqual({ kind: 'held', holder: 'a' })
    await renewed(b)
  }
  expect(tokens).toHaveLength(6)
  expect(tokens).toEqual([...new Set(tokens)].sort((one, other) => one - other))
  expect(tokens.every(Number.isSafeInteger)).toBe(true)
  clock.pass(LEASE_MS)
  expect(await b.campaign('x', number + 1)).toMatchObject({ kind: 'granted' })
})

test('a machine clock that was set back does not pin a dead holder', async () => {
  const file = freshFile()
  const boot = 'boot'
  const a = await enter(connect(file, new HandClock(boot, 9_000_000)), 'a')
  await a.campaign('x', 1)
  const clock = new HandClock(boot, 5_000)
  const b = await enter(connect(file, clock), 'b')
  expect((await renewed(b)).nextExpiryInMs).toBe(LEASE_MS)
  clock.pass(LEASE_MS / 2)
  await renewed(b)
  clock.pass(LEASE_MS / 2)
  expect(await b.campaign('x', 1)).toMatchObject({ kind: 'granted' })
})

test('all processes of a machine read one clock', () => {
  const module = new URL('../../src/backends/sqlite/machine-clock.ts', import.meta.url).href
  const script = `import { machineClock } from ${JSON.stringify(module)}; console.log(machineClock.boot, machineClock.now())`
  const beforeMs = machineClock.now()
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script]
  const [boot, now] = spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout.trim().split(' ')
  expect(boot).toBe(machineClock.boot)
  expect(Number(now)).toBeGreaterThan(beforeMs)
  expect(Number(now)).toBeLessThan(machineClock.now())
})
