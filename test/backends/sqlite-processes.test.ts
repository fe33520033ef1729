/** Many real processes on one file, some of which are killed or stopped at any point. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { loadDriver } from '../../src/backends/sqlite/driver.ts'
import type { Orders, Report } from './sqlite/contender.ts'
import { connect, enter, freshFile, longestBlockMs } from './sqlite/stage.ts'
import { findFaults } from './sqlite/terms.ts'

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

function start(script: string, ...args: readonly string[]): ChildProcess {
  const child = fork(new URL(`./sqlite/${script}`, import.meta.url), args, { execArgv: ['--import', 'tsx'] })
  children.push(child)
  return child
}

const PROCESSES = 16
const KILLED = 4
const RUN_MS = 5_000
const LEASE_DURATION_MS = 3_000

test(`${PROCESSES} processes at once: no overlap, no token twice, no failure, whoever is killed`, {
  timeout: 60_000,
}, async () => {
  const path = freshFile()
  const log = `${path}.log`
  const orders: Orders = {
    path,
    log,
    leases: ['x', 'y', 'z'],
    leaseDurationMs: LEASE_DURATION_MS,
    renewIntervalMs: 200,
  }
  const contenders = Array.from({ length: PROCESSES }, () => start('contender.ts'))
  await Promise.all(contenders.map((child) => once(child, 'message')))
  const reports = contenders.map(async (child) => {
    const outcome = await Promise.race([once(child, 'message'), once(child, 'exit')])
    return typeof outcome[0] === 'object' && outcome[0] !== null ? (outcome[0] as Report) : null
  })
  for (const child of contenders) child.send(orders)
  for (const victim of contenders.slice(0, KILLED)) {
    await sleep((RUN_MS / KILLED) * (0.5 + Math.random() / 2))
    victim.kill('SIGKILL')
  }
  for (const child of contenders.slice(KILLED)) child.send('end')

  await Promise.all(contenders.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')))

  const survivors = (await Promise.all(reports)).filter((report) => report !== null)
  expect(survivors).toHaveLength(PROCESSES - KILLED)
  expect(survivors.flatMap(({ failures }) => failures)).toEqual([])
  const killed = new Set(contenders.slice(0, KILLED).map(({ pid }) => `${pid}`))
  const lines = readFileSync(log, 'utf8').trim().split('\n')
  expect(findFaults(lines, killed, LEASE_DURATION_MS)).toEqual([])
  const sum = (of: (report: Report) => number) => survivors.reduce((total, report) => total + of(report), 0)
  expect(sum(({ terms }) => terms)).toBeGreaterThan(5)

  const database = new (loadDriver())(path)
  expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  database.close()
  const most = (of: (report: Report) => number) => Math.round(Math.max(...survivors.map(of)))
  console.info(
    `${sum(({ calls }) => calls)} calls, ${sum(({ terms }) => terms)} terms; ` +
      `longest call ${most(({ longestCallMs }) => longestCallMs)} ms, block ${most(({ longestBlockMs }) => longestBlockMs)} ms`,
  )
})

test('a process that is stopped in the middle of a write: calls fail in time, and the event loop goes on', async () => {
  const path = freshFile()
  const connection = connect(path)
  const session = await enter(connection, 'a', 60_000)
  const holder = start('holder.ts', path, 'stop')
  await once(holder, 'message')
  await sleep(50)

  const beganMs = performance.now()
  const blockMs = await longestBlockMs(async () => {
    const calls = [session.campaign('x', 1), session.renew({ settled: 0, epoch: 1 }), session.campaign('y', 2)]
    const outcomes = await Promise.allSettled(calls)
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'BACKEND_UNAVAILABLE' } })
    }
  })
  const tookMs = performance.now() - beganMs
  expect(tookMs).toBeGreaterThan(1_000)
  expect(tookMs).toBeLessThan(6_000)
  expect(blockMs).toBeLessThan(300)

  const isWal = (await session.look().catch(() => null)) !== null
  const late = session.campaign('z', 3)
  holder.kill('SIGCONT')
  // Nothing of what was rejected has been applied, or will be.
  expect(await late).toMatchObject({ kind: 'granted' })
  expect((await connection.leaders(['x', 'y', 'z'])).map((leader) => leader?.node ?? null)).toEqual([null, null, 'a'])
  expect(isWal).toBe(true)
}, 20_000)

test('a process that is killed in the middle of a write leaves no lock and no trace', async () => {
  const path = freshFile()
  const connection = connect(path)
  const session = await enter(connection, 'a', 60_000)
  const holder = start('holder.ts', path, 'wait')
  await once(holder, 'message')
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  expect(await session.campaign('x', 1)).toMatchObject({ kind: 'granted' })
  expect(await connection.leaders(['x'])).toMatchObject([{ node: 'a' }])
})
