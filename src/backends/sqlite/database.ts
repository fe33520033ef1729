/**
 * The file, opened when it is first needed. Everything here is synchronous; waiting for a lock beyond the first moment is the
 * business of a lane.
 */
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { NotSentError, SimbaError } from '../../model/errors.ts'
import type { Logger } from '../../model/logger.ts'
import { type Driver, type DriverDatabase, SQLITE_BUSY, SQLITE_CORRUPT, SQLITE_NOTADB, sqliteCode } from './driver.ts'
import { assertFormat, prepareFile } from './schema.ts'
import { Statements } from './statements.ts'
import { type Begin, inTransaction } from './transaction.ts'

/** How long SQLite itself waits for a lock. It blocks the event loop meanwhile, and is enough nearly always. */
const BUSY_TIMEOUT_MS = 20

interface OpenFile {
  readonly database: DriverDatabase
  readonly sql: Statements
  readonly identity: string
  isPrepared: boolean
}

export class Database {
  readonly path: string
  readonly #driver: Driver
  readonly #logger: Logger
  #file: OpenFile | null = null

  constructor(driver: Driver, path: string, logger: Logger) {
    this.#driver = driver
    this.path = path
    this.#logger = logger
  }

  /** Throws the driver's own error where the file is locked (see `isBusy`), else a SimbaError. */
  transaction<T>(begin: Begin, body: (sql: Statements) => T): T {
    const sql = this.#reach()
    try {
      return inTransaction(sql, begin, () => {
        assertFormat(sql, this.path)
        return body(sql)
      })
    } catch (error) {
      throw isBusy(error) ? error : this.#explained(error)
    }
  }

  /** The file, or an error that says that nothing was done there. */
  #reach(): Statements {
    try {
      return this.#prepared()
    } catch (error) {
      if (isBusy(error)) throw error
      const explained = this.#explained(error)
      const { code, message } = explained
      throw code === 'BACKEND_UNAVAILABLE' ? new NotSentError(message, { cause: error }) : explained
    }
  }

  close(): void {
    const file = this.#file
    this.#file = null
    file?.database.close()
  }

  #prepared(): Statements {
    // Whoever deletes the file lets the next process begin with an empty one: two stores, and a holder in each. The sooner it is
    // noticed, the better.
    if (this.#file !== null && this.#file.identity !== identityOf(this.path)) this.close()
    this.#file ??= this.#open()
    // A file that is locked or refused stays open: it is tried again, and not every driver lets go of it when it is closed.
    if (!this.#file.isPrepared) prepareFile(this.#file.sql, this.path, this.#logger)
    this.#file.isPrepared = true
    return this.#file.sql
  }

  #open(): OpenFile {
    makeFolder(dirname(this.path))
    const database = new this.#driver(this.path)
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    return { database, sql: new Statements(database), identity: identityOf(this.path), isPrepared: false }
  }

  #explained(error: unknown): SimbaError {
    if (error instanceof SimbaError) return error
    const code = sqliteCode(error)
    if (code === SQLITE_NOTADB) {
      return new SimbaError('BACKEND_FORMAT', `${this.path} is not an SQLite database.`, { cause: error })
    }
    if (code === SQLITE_CORRUPT) {
      const advice = 'Stop every process that uses it, then delete it.'
      return new SimbaError('BACKEND_UNAVAILABLE', `${this.path} is damaged. ${advice}`, { cause: error })
    }
    const what = error instanceof Error ? error.message : String(error)
    return new SimbaError('BACKEND_UNAVAILABLE', `${this.path} cannot be used: ${what}`, { cause: error })
  }
}

/** With all that are missing above it. Node's own way never returns where a folder like /proc denies that there can be another one in it. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // Somebody else was faster.
    if (!existsSync(path)) throw error
  }
}

/** Tells one file from another that takes its path later. */
function identityOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats === undefined ? 'none' : `${stats.dev}:${stats.ino}`
}

/** The lock was not to be had in time: what was asked has certainly not been applied. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === SQLITE_BUSY
}
