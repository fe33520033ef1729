/** Everything of a body, or nothing of it. The body must not await: nobody else could write meanwhile. */
import type { Statements } from './statements.ts'

/** A reader sees one state of the file; a writer waits its turn before it reads anything. */
export type Begin = 'BEGIN' | 'BEGIN IMMEDIATE'

export function inTransaction<T>(sql: Statements, begin: Begin, body: () => T): T {
  sql.run(begin)
  try {
    const result = body()
    sql.run('COMMIT')
    return result
  } catch (error) {
    try {
      sql.run('ROLLBACK')
    } catch {
      // SQLite itself has rolled back already, as it does where the disk is full.
    }
    throw error
  }
}
