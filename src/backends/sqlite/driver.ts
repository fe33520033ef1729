/**
 * The little that this backend needs of an SQLite driver, and where it comes from: `node:sqlite`, or the package with the same
 * interface for a Node without it.
 */
import { createRequire } from 'node:module'
import { SimbaError } from '../../model/errors.ts'

export type SqlValue = string | number | null

export interface Driver {
  new (path: string): DriverDatabase
}

export interface DriverDatabase {
  exec(sql: string): void
  prepare(sql: string): DriverStatement
  close(): void
}

export interface DriverStatement {
  run(...values: readonly SqlValue[]): unknown
  get(...values: readonly SqlValue[]): unknown
  all(...values: readonly SqlValue[]): unknown[]
}

const PACKAGE = '@photostructure/sqlite'

/** How a driver's module is found. */
interface DriverSources {
  builtin(): unknown
  installed(): unknown
}

const sources: DriverSources = {
  // Undefined where this Node has no `node:sqlite`, or has it behind a flag.
  builtin: () => process.getBuiltinModule('node:sqlite'),
  installed: () => createRequire(import.meta.url)(PACKAGE),
}

/** Throws `DRIVER_MISSING` where there is none. */
export function loadDriver({ builtin, installed }: DriverSources = sources): Driver {
  const found = builtin()
  if (found !== undefined) return databaseClass(found)
  try {
    return databaseClass(installed())
  } catch (cause) {
    throw new SimbaError(
      'DRIVER_MISSING',
      `sqlite() needs Node 22.13 or newer, or the package ${PACKAGE} (npm install ${PACKAGE}@1 for Node 20); ` +
        `this is Node ${process.versions.node}.`,
      { cause },
    )
  }
}

function databaseClass(module: unknown): Driver {
  return (module as { readonly DatabaseSync: Driver }).DatabaseSync
}

/** SQLite's own number for what went wrong, without the details that its upper bits add; `null` for any other error. */
export function sqliteCode(error: unknown): number | null {
  const code = (error as { readonly errcode?: unknown } | null)?.errcode
  return typeof code === 'number' ? code & 0xff : null
}

export const SQLITE_BUSY = 5
export const SQLITE_CORRUPT = 11
export const SQLITE_NOTADB = 26
