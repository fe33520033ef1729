/**
 * Where the work of all nodes writes: an SQLite file that refuses a token lower than the newest of its lease, and numbers what it
 * accepts. It waits for nobody: a node that stands still in the middle of a write must not hold up the others.
 */
import { type DriverDatabase, loadDriver, SQLITE_BUSY, sqliteCode } from '../../../src/backends/sqlite/driver.ts'

export interface Write {
  readonly lease: string
  readonly token: number
  readonly node: string
}

/** What the sink has, by place. */
export interface Accepted extends Write {
  readonly place: number
}

/** The place of a write that was accepted; `busy` is a write that was not made. */
export type Answer = number | 'refused' | 'busy'

const BUSY_MS = 5

const TABLE = /* sql */ `
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS writes (
    place INTEGER PRIMARY KEY AUTOINCREMENT, lease TEXT NOT NULL, token INTEGER NOT NULL, node TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS newest ON writes (lease, token);
`

/** One statement, so that nothing comes between the look and the write. */
const WRITE = /* sql */ `
  INSERT INTO writes (lease, token, node)
  SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM writes WHERE lease = ? AND token > ?)
  RETURNING place
`

export class Sink {
  readonly #database: DriverDatabase

  /** Makes the file. Once, and before anybody opens it. */
  static create(path: string): void {
    const sink = new Sink(path)
    sink.#database.exec(TABLE)
    sink.close()
  }

  constructor(path: string) {
    this.#database = new (loadDriver())(path)
    this.#database.exec(`PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA synchronous = OFF;`)
  }

  write({ lease, token, node }: Write): Answer {
    try {
      const row = this.#database.prepare(WRITE).get(lease, token, node, lease, token) as
        | { readonly place: number }
        | undefined
      return row?.place ?? 'refused'
    } catch (error) {
      if (sqliteCode(error) === SQLITE_BUSY) return 'busy'
      throw error
    }
  }

  /** Everything that was accepted, in order. */
  read(): readonly Accepted[] {
    return this.#database.prepare('SELECT * FROM writes ORDER BY place').all() as Accepted[]
  }

  close(): void {
    this.#database.close()
  }
}
