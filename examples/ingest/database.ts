/** SQLite as Node has it, or as a package with the same interface brings it to a Node without. */
import { createRequire } from 'node:module'
import type { DatabaseSync } from '@photostructure/sqlite'

export type { DatabaseSync }

/** The file is created when it is not there. */
export function openDatabase(path: string): DatabaseSync {
  const driver = process.getBuiltinModule('node:sqlite') ?? createRequire(import.meta.url)('@photostructure/sqlite')
  const database: DatabaseSync = new driver.DatabaseSync(path)
  database.exec('PRAGMA busy_timeout = 5000')
  return database
}
