/**
 * Leases in a file, for the processes of one machine. No server, no socket; what ends with the processes is told apart from what
 * ends with the machine.
 */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { SimbaError } from '../../model/errors.ts'
import type { Backend } from '../port.ts'
import { SqliteConnection } from './connection.ts'
import { loadDriver } from './driver.ts'
import { type MachineClock, machineClock } from './machine-clock.ts'

export type { MachineClock } from './machine-clock.ts'

export interface SqliteOptions {
  /**
   * How often each client looks for freed leases and changed groups, in milliseconds: after a clean release, the next candidate waits
   * for half of it on average. A look reads a few rows and takes less than a tenth of a millisecond. At least 1, at most 60,000; default 100.
   */
  readonly pollInterval?: number
  /** The clock by which sessions run out. For tests; the default is the machine's own monotonic time. */
  readonly machineClock?: MachineClock
}

const DEFAULT_POLL_INTERVAL_MS = 100
const LEAST_POLL_INTERVAL_MS = 1
const GREATEST_POLL_INTERVAL_MS = 60_000

/**
 * Keeps leases in an SQLite file that all processes on this machine open by the same path. The file and its folder are created when
 * they are first needed; a relative path counts from the working directory of this moment.
 *
 * Any number of processes may use the file, and any of them may be killed at any point. A process that is *stopped* (SIGSTOP, a
 * debugger) in the middle of a write keeps the file locked: calls of the others then fail within about three seconds, and their terms
 * end in time. The file must be on a local disk and must not be deleted or replaced while it is in use. Containers of one host may
 * share it through a volume; hosts and virtual machines may not, since neither SQLite's locks nor its shared memory reach that far.
 *
 * Needs Node 22.13 or newer, or the package `@photostructure/sqlite`. Where the SQLite in it is older than 3.51.3, the file is created
 * without WAL, since these versions can corrupt it; a write then takes some milliseconds, and the file stays as it was created.
 *
 * @throws SimbaError `INVALID_OPTION` or `DRIVER_MISSING`
 * @example
 * const simba = createSimba({ backend: sqlite('/var/lib/app/leases.db') })
 */
export function sqlite(path: string, options: SqliteOptions = {}): Backend {
  const file = checkPath(path)
  if (typeof options !== 'object' || options === null) throw invalid('The options of sqlite() are an object.')
  const { pollInterval = DEFAULT_POLL_INTERVAL_MS, machineClock: clock = machineClock, ...unknown } = options
  for (const option of Object.keys(unknown)) {
    throw invalid(`sqlite() has no option ${option}; it has pollInterval and machineClock.`)
  }
  checkPollInterval(pollInterval)
  const driver = loadDriver()
  return {
    name: 'sqlite',
    pollIntervalMs: pollInterval,
    connect: (environment) => new SqliteConnection(driver, file, clock, environment),
  }
}

function checkPath(path: unknown): string {
  if (path === ':memory:') {
    throw invalid('path is ":memory:", which no other process could open; use memory() from simba-xstate/memory.')
  }
  if (typeof path !== 'string' || path === '' || path.startsWith('file:') || path.includes('\0')) {
    throw invalid(`path is ${JSON.stringify(path)}; allowed is the path of a file, not a URL.`)
  }
  const file = resolve(path)
  if (isFolder(file)) {
    throw invalid(`path is ${JSON.stringify(path)}, which is a folder; allowed is the path of a file.`)
  }
  return file
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    // Nothing there, or not to be reached: the first call will tell.
    return false
  }
}

function checkPollInterval(value: unknown): void {
  if (typeof value === 'number' && value >= LEAST_POLL_INTERVAL_MS && value <= GREATEST_POLL_INTERVAL_MS) return
  const allowed = `${LEAST_POLL_INTERVAL_MS} to ${GREATEST_POLL_INTERVAL_MS} milliseconds, as a number`
  throw invalid(`pollInterval is ${JSON.stringify(value)}; allowed are ${allowed}.`)
}

function invalid(message: string): SimbaError {
  return new SimbaError('INVALID_OPTION', message)
}
