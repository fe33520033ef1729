/** Prepared statements, each made once for an open file. */
import type { DriverDatabase, DriverStatement, SqlValue } from './driver.ts'

export class Statements {
  readonly #database: DriverDatabase
  readonly #prepared = new Map<string, DriverStatement>()

  constructor(database: DriverDatabase) {
    this.#database = database
  }

  /** Runs a script once, without keeping it. */
  script(sql: string): void {
    this.#database.exec(sql)
  }

  run(sql: string, ...values: readonly SqlValue[]): void {
    this.#prepare(sql).run(...values)
  }

  /** The first row. Its columns are what the query says, so the caller names their types. */
  one<Row>(sql: string, ...values: readonly SqlValue[]): Row | undefined {
    return this.#prepare(sql).get(...values) as Row | undefined
  }

  all<Row>(sql: string, ...values: readonly SqlValue[]): readonly Row[] {
    return this.#prepare(sql).all(...values) as Row[]
  }

  /** What a query with one row of one column answers. */
  value(sql: string): unknown {
    return Object.values(this.one<Record<string, unknown>>(sql) ?? {})[0]
  }

  #prepare(sql: string): DriverStatement {
    let statement = this.#prepared.get(sql)
    if (statement === undefined) {
      statement = this.#database.prepare(sql)
      this.#prepared.set(sql, statement)
    }
    return statement
  }
}
