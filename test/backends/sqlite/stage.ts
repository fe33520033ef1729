/** What the tests of this backend share: a folder of their own, connections that are closed in the end, and sessions in a word. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach } from 'vitest'
import type { BackendEnvironment, Connection, Session } from '../../../src/backends/port.ts'
import { sqlite } from '../../../src/backends/sqlite/index.ts'
import type { MachineClock } from '../../../src/backends/sqlite/machine-clock.ts'

export const LEASE_MS = 1_000
export const RENEW_MS = 300

export const folder = mkdtempSync(join(tmpdir(), 'simba-sqlite-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const connections: Connection[] = []
afterEach(() => Promise.all(connections.splice(0).map((connection) => connection.close())))

let files = 0
/** The path of a file that does not exist yet. */
export function freshFile(): string {
  files += 1
  return join(folder, `${files}.db`)
}

export const logged: string[] = []
const log = (_details: object, message: string) => void logged.push(message)

export function environment(over: Partial<BackendEnvironment> = {}): BackendEnvironment {
  return {
    clock: { now: () => performance.now(), wallMs: () => Date.now() },
    random: Math.random,
    logger: { debug: log, info: log, warn: log, error: log },
    namespace: 'simba',
    ...over,
  }
}

/** Closes it when the test is over. */
export function tracked(connection: Connection): Connection {
  connections.push(connection)
  return connection
}

export function connect(path: string, machineClock?: MachineClock, over?: Partial<BackendEnvironment>): Connection {
  const options = machineClock === undefined ? {} : { machineClock }
  return tracked(sqlite(path, options).connect(environment(over)))
}

/** A session that is not open yet. */
export function enroll(connection: Connection, node: string, leaseDurationMs = LEASE_MS): Session {
  return connection.session({ node, leaseDurationMs, renewIntervalMs: RENEW_MS }, () => {})
}

export async function enter(connection: Connection, node: string, leaseDurationMs = LEASE_MS): Promise<Session> {
  const session = enroll(connection, node, leaseDurationMs)
  await session.open()
  return session
}

/** A machine's time in the test's hands. */
export class HandClock implements MachineClock {
  readonly boot: string
  #nowMs: number

  constructor(boot: string, nowMs: number) {
    this.boot = boot
    this.#nowMs = nowMs
  }

  now(): number {
    return this.#nowMs
  }

  pass(ms: number): void {
    this.#nowMs += ms
  }
}

/** Runs something, and tells for how long it kept the event loop from everything else at most. */
export async function longestBlockMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let last = performance.now()
  const probe = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }, 1)
  try {
    await work()
  } finally {
    clearInterval(probe)
  }
  return longest
}
