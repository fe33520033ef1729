/**
 * The tables of the file, and how a connection makes sure of them. Many processes may do so at once, and any of them may be killed
 * at any point.
 */
import { SimbaError } from '../../model/errors.ts'
import type { Logger } from '../../model/logger.ts'
import { SQLITE_BUSY, sqliteCode } from './driver.ts'
import type { Statements } from './statements.ts'
import { inTransaction } from './transaction.ts'

/** Kept as `user_version`, which is 0 in a new file. */
const FORMAT = 1

/**
 * A session that was ended by a call has the boot '' and the expiry 0: run out by every clock.
 * A row of `leases` is held (holder, token) or offered (offered, deadline); a lease that is neither has no row and no candidates.
 * Teams are what the rest of the code calls groups, which is a word of SQL.
 * Deadlines carry no boot: they only say who is woken first, and an offer ends with its session at the latest.
 */
const TABLES = /* sql */ `
  CREATE TABLE namespaces (
    name TEXT PRIMARY KEY, token INTEGER NOT NULL, version INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE sessions (
    namespace TEXT, id TEXT, node TEXT NOT NULL, lease_ms REAL NOT NULL, renew_ms REAL NOT NULL,
    boot TEXT NOT NULL, expiry REAL NOT NULL, beat INTEGER NOT NULL, settled INTEGER NOT NULL,
    PRIMARY KEY (namespace, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sessions_by_expiry ON sessions (namespace, boot, expiry);
  CREATE INDEX sessions_by_renewal ON sessions (namespace, boot, expiry - lease_ms);

  CREATE TABLE witnesses (
    namespace TEXT, session TEXT, boot TEXT, beat INTEGER NOT NULL, since REAL NOT NULL,
    PRIMARY KEY (namespace, session, boot)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE leases (
    namespace TEXT, name TEXT, holder TEXT, token INTEGER, offered TEXT, deadline REAL,
    PRIMARY KEY (namespace, name)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX leases_by_holder ON leases (namespace, holder) WHERE holder IS NOT NULL;
  CREATE INDEX offers_by_session ON leases (namespace, offered) WHERE offered IS NOT NULL;
  CREATE INDEX offers_by_deadline ON leases (namespace, deadline) WHERE deadline IS NOT NULL;

  CREATE TABLE candidates (
    namespace TEXT, lease TEXT, place INTEGER, session TEXT NOT NULL,
    PRIMARY KEY (namespace, lease, place)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX candidates_by_session ON candidates (namespace, session, lease);

  CREATE TABLE teams (
    namespace TEXT, name TEXT, version INTEGER NOT NULL,
    PRIMARY KEY (namespace, name)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE members (
    namespace TEXT, team TEXT, session TEXT, partitions INTEGER NOT NULL, resting TEXT NOT NULL,
    PRIMARY KEY (namespace, team, session)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX members_by_session ON members (namespace, session);

  CREATE TABLE numbers (
    namespace TEXT, session TEXT, kind TEXT, name TEXT, number INTEGER NOT NULL,
    PRIMARY KEY (namespace, session, kind, name)
  ) STRICT, WITHOUT ROWID;
`

/** Makes the file ready for use, or throws. Whatever it throws, it may be tried again from the start. */
export function prepareFile(sql: Statements, path: string, logger: Logger): void {
  const version = String(sql.value('SELECT sqlite_version()'))
  if (isEmpty(sql, path)) {
    if (!hasWalResetBug(version)) sql.value('PRAGMA journal_mode = WAL')
    inTransaction(sql, 'BEGIN IMMEDIATE', () => {
      if (isEmpty(sql, path)) sql.script(`${TABLES}; PRAGMA user_version = ${FORMAT}`)
    })
  }
  settleJournal(sql, path, version, logger)
  // A power cut may take the last commits, but it takes every session of this machine as well, and the wall clock keeps tokens growing.
  // FULL costs ten times as much.
  sql.script('PRAGMA synchronous = NORMAL')
}

/** False where the file is ours; anything else is refused. */
function isEmpty(sql: Statements, path: string): boolean {
  // In this order: another process may create the tables, and with them the format, between the two.
  const objects = sql.value('SELECT count(*) FROM sqlite_schema')
  const format = sql.value('PRAGMA user_version')
  if (format === 0 && objects === 0) return true
  if (format === 0) {
    throw new SimbaError(
      'BACKEND_FORMAT',
      `${path} is a database of something else; give simba-xstate a file of its own.`,
    )
  }
  assertFormat(sql, path)
  return false
}

/** Asked in each transaction: the file may be brought to a newer format while older processes still have it open. */
export function assertFormat(sql: Statements, path: string): void {
  const format = sql.value('PRAGMA user_version')
  if (format === FORMAT) return
  throw new SimbaError(
    'BACKEND_FORMAT',
    `${path} has format ${format}; this simba-xstate knows format ${FORMAT} alone.`,
  )
}

/**
 * A file keeps the journal that it was created with. SQLite before 3.51.3 can corrupt a file in WAL mode that several processes write
 * to, so it creates files without; and a newer one that finds such a file cannot know whether older ones are at it, too.
 */
function settleJournal(sql: Statements, path: string, version: string, logger: Logger): void {
  const isWal = () => sql.value('PRAGMA journal_mode') === 'wal'
  if (isWal() && !hasWalResetBug(version)) return
  try {
    sql.value('PRAGMA journal_mode = TRUNCATE')
  } catch (error) {
    if (sqliteCode(error) !== SQLITE_BUSY) throw error
  }
  if (isWal()) {
    throw new SimbaError(
      'BACKEND_UNAVAILABLE',
      `${path} is in use in WAL mode, in which the SQLite of this process (${version}) might corrupt it ` +
        '(https://sqlite.org/wal.html#walresetbug); use a Node with SQLite 3.51.3 or newer in all processes.',
    )
  }
  logger.warn({ path, sqlite: version }, 'the file has a rollback journal, which is slower than WAL')
}

/** The WAL-reset bug: in 3.7.0 to 3.51.2, but for 3.44.6 and 3.50.7 and what follows them in their lines. */
export function hasWalResetBug(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  if (major !== 3) return major < 3
  if (minor === 44) return patch < 6
  if (minor === 50) return patch < 7
  return minor < 51 || (minor === 51 && patch < 3)
}
