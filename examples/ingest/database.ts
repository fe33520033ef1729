/** SQLite as Node has it, or as a package with the same interface brings it to a Node without. */
import { createRequire } from 'node:module'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'

export type Database = DatabaseSyncInstance

/** The file is created when it is not there. */
export function openDatabase(path: string): Database {
  const driver = process.getBuiltinModule('node:sqlite') ?? createRequire(import.meta.url)('@photostructure/sqlite')
  const database: Database = new driver.DatabaseSync(path)
  database.exec('PRAGMA busy_timeout = 5000')
  return database
}
