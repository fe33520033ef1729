/**
 * A process that campaigns, renews and releases on a shared file as fast as it can, and writes down each of its terms. Its parent
 * says when to begin and when to end, and may kill it at any point.
 */
import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { sqlite } from '../../../src/backends/sqlite/index.ts'
import { machineClock } from '../../../src/backends/sqlite/machine-clock.ts'

/** What the parent tells it to do. */
export interface Orders {
  readonly path: string
  readonly log: string
  readonly leases: readonly string[]
  readonly leaseDurationMs: number
  readonly renewIntervalMs: number
}

export interface Report {
  readonly calls: number
  readonly terms: number
  readonly failures: readonly string[]
  readonly longestCallMs: number
  readonly longestBlockMs: number
}

const PROBE_MS = 5

async function contend(orders: Orders, isOver: () => boolean): Promise<Report> {
  const failures: string[] = []
  const environment = {
    clock: { now: () => performance.now(), wallMs: () => Date.now() },
    random: Math.random,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    namespace: 'simba',
  }
  const connection = sqlite(orders.path).connect(environment)
  const session = connection.session({ node: `${process.pid}`, ...orders }, () => {})
  const note = (...words: readonly (string | number)[]) => appendFileSync(orders.log, `${words.join(' ')}\n`)
  let calls = 0
  let terms = 0
  let number = 0
  let longestCallMs = 0
  let longestBlockMs = 0

  async function timed<T>(call: () => Promise<T>): Promise<T> {
    const beganMs = performance.now()
    calls += 1
    try {
      return await call()
    } finally {
      longestCallMs = Math.max(longestCallMs, performance.now() - beganMs)
    }
  }

  let probedMs = performance.now()
  const probe = setInterval(() => {
    const nowMs = performance.now()
    longestBlockMs = Math.max(longestBlockMs, nowMs - probedMs - PROBE_MS)
    probedMs = nowMs
  }, PROBE_MS)

  /** What this process may rely on is counted from before the call. */
  async function extend(call: () => Promise<{ readonly kind: string }>): Promise<void> {
    const beforeMs = machineClock.now()
    const { kind } = await timed(call)
    if (kind === 'unknown') throw new Error('the session has run out')
    note('alive', process.pid, beforeMs)
  }

  async function renewing(): Promise<void> {
    while (!isOver()) {
      await extend(() => session.renew({ settled: 0, epoch: 1 }))
      await sleep(orders.renewIntervalMs)
    }
  }

  async function campaigning(): Promise<void> {
    while (!isOver()) {
      const lease = orders.leases[Math.floor(Math.random() * orders.leases.length)]!
      number += 1
      const answer = await timed(() => session.campaign(lease, number))
      if (answer.kind === 'granted') {
        terms += 1
        note('begin', lease, answer.token, process.pid, machineClock.now())
        if (Math.random() < 0.3) await sleep(Math.random() * 3)
        note('end', lease, answer.token, process.pid, machineClock.now())
        number += 1
        const released = await timed(() => session.release(lease, answer.token, number))
        if (released.kind !== 'released') throw new Error(`${lease} was ${released.kind} at its release`)
      } else if (answer.kind !== 'held') {
        throw new Error(`a campaign was answered with ${answer.kind}`)
      }
      await timed(() => session.look())
    }
  }

  const guarded = (work: () => Promise<void>) =>
    work().catch((error: unknown) => void failures.push(error instanceof Error ? error.message : String(error)))
  await guarded(() => extend(async () => ({ kind: 'opened', ...(await session.open()) })))
  await Promise.all([guarded(renewing), guarded(campaigning)])
  await guarded(() => session.close())
  await connection.close()
  clearInterval(probe)
  return { calls, terms, failures, longestCallMs, longestBlockMs }
}

let isOver = false
process.on('message', (message: Orders | 'end') => {
  if (message === 'end') {
    isOver = true
    return
  }
  void contend(message, () => isOver).then((report) => process.send!(report, () => process.disconnect()))
})
process.send!('ready')
