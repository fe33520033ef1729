/**
 * Where the records go: an SQLite file that knows the newest leader's fencing token, and refuses a lower one. Token, records and
 * cursor change in one transaction, so a leader that dies or is late at any point leaves all of a batch, or nothing of it.
 */
import { type Database, openDatabase } from './database.ts'
import type { Batch, Cursor } from './source.ts'

/** A former leader wrote. Nothing of what it wrote is in the sink. */
export class StaleTokenError extends Error {
  readonly facts: { readonly token: number; readonly newest: number; readonly count: number }

  constructor(token: number, newest: number, count: number) {
    super(`Token ${token} is lower than ${newest}: a later leader is at work.`)
    this.facts = { token, newest, count }
  }
}

// The table of records has no unique key, on purpose: a record that is written twice shall be seen, not swallowed.
const TABLES = /* sql */ `
  CREATE TABLE IF NOT EXISTS records (number INTEGER NOT NULL, line TEXT NOT NULL, token INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS progress (
    one INTEGER PRIMARY KEY CHECK (one = 1), token INTEGER NOT NULL, record INTEGER NOT NULL, offset INTEGER NOT NULL
  );
  INSERT OR IGNORE INTO progress VALUES (1, 0, 0, 0);
`

export class Sink {
  readonly #database: Database

  constructor(path: string) {
    this.#database = openDatabase(path)
    this.#transaction(() => this.#database.exec(TABLES))
  }

  /** Makes this token the newest, and says where its leader goes on. Throws `StaleTokenError` where a newer one was here. */
  claim(token: number): Cursor {
    return this.#transaction(() => {
      this.#fence(token, 0)
      this.#database.prepare('UPDATE progress SET token = ?').run(token)
      return this.#database.prepare('SELECT record, offset FROM progress').get() as Cursor
    })
  }

  /** Adds the batch and moves the cursor behind it. Throws `StaleTokenError` where a newer leader was here. */
  write({ from, lines, next }: Batch, token: number): Cursor {
    return this.#transaction(() => {
      this.#fence(token, lines.length)
      const insert = this.#database.prepare('INSERT INTO records VALUES (?, ?, ?)')
      for (const [index, line] of lines.entries()) insert.run(from.record + index + 1, line, token)
      this.#database
        .prepare('UPDATE progress SET token = ?, record = ?, offset = ?')
        .run(token, next.record, next.offset)
      return next
    })
  }

  close(): void {
    this.#database.close()
  }

  #fence(token: number, count: number): void {
    const { newest } = this.#database.prepare('SELECT token AS newest FROM progress').get() as { newest: number }
    if (token < newest) throw new StaleTokenError(token, newest, count)
  }

  #transaction<T>(body: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      const result = body()
      this.#database.exec('COMMIT')
      return result
    } catch (error) {
      this.#database.exec('ROLLBACK')
      throw error
    }
  }
}
