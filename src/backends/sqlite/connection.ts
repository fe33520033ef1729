/** One client's way to the file. Reads have a lane of their own, so that they never stand behind a write that waits for the lock. */
import type { BackendEnvironment, Connection, Hint, Leader, Session, SessionOptions, Survey } from '../port.ts'
import { makeSessionId } from '../session-id.ts'
import type { Call } from './call.ts'
import { Database } from './database.ts'
import type { Driver } from './driver.ts'
import { Lane } from './lane.ts'
import { leaderOf } from './leases.ts'
import type { MachineClock } from './machine-clock.ts'
import type { Records } from './records.ts'
import { SqliteSession } from './session.ts'
import type { Statements } from './statements.ts'
import { survey } from './survey.ts'

/** Wall clocks that are set to a far future must not use up the safe integers: from the year 2112 on, tokens only count. */
const GREATEST_LEAST_TOKEN = 2 ** 52

export class SqliteConnection implements Connection, Records {
  readonly #environment: BackendEnvironment
  readonly #machineClock: MachineClock
  readonly #database: Database
  readonly #reads: Lane
  readonly #writes: Lane

  constructor(driver: Driver, path: string, machineClock: MachineClock, environment: BackendEnvironment) {
    this.#environment = environment
    this.#machineClock = machineClock
    this.#database = new Database(driver, path, environment.logger)
    this.#reads = new Lane(this.#database, 'BEGIN', environment.random)
    this.#writes = new Lane(this.#database, 'BEGIN IMMEDIATE', environment.random)
  }

  /** Never hints: processes that share a file have no way to call each other. */
  session(options: SessionOptions, _onHint: (hint: Hint) => void): Session {
    return new SqliteSession(makeSessionId(this.#environment.random), options, this)
  }

  leaders(leases: readonly string[]): Promise<readonly (Leader | null)[]> {
    return this.read((call) => leases.map((lease) => leaderOf(call, lease)))
  }

  survey(most: number): Promise<Survey> {
    const wallMs = this.#environment.clock.wallMs()
    return this.read((call) => survey(call, most, wallMs))
  }

  async close(): Promise<void> {
    this.#reads.close()
    this.#writes.close()
    this.#database.close()
  }

  read<T>(body: (call: Call) => T): Promise<T> {
    return this.#reads.run((statements) => body(this.#call(statements)))
  }

  write<T>(body: (call: Call) => T): Promise<T> {
    return this.#writes.run((statements) => body(this.#call(statements)))
  }

  #call(sql: Statements): Call {
    return {
      sql,
      namespace: this.#environment.namespace,
      boot: this.#machineClock.boot,
      nowMs: this.#machineClock.now(),
      leastToken: Math.min(Math.floor(this.#environment.clock.wallMs() * 1_000), GREATEST_LEAST_TOKEN),
    }
  }
}
