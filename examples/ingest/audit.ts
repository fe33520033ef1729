/** The check at the end: compares what is in the sink's file with the source. Shares no code with what has written it. */
import { createHash } from 'node:crypto'
import { openDatabase } from './database.ts'
import type { Input } from './input.ts'

export interface Findings {
  readonly records: number
  /** How many leaders have written. */
  readonly leaders: number
  /** Empty when every record of the source is there exactly once, unchanged and in its place. */
  readonly faults: readonly string[]
}

export async function audit(sink: string, input: Input): Promise<Findings> {
  const database = openDatabase(sink)
  try {
    const { records, numbers, outside, leaders } = database
      .prepare(`
        SELECT count(*) AS records, count(DISTINCT number) AS numbers, count(DISTINCT token) AS leaders,
          count(*) FILTER (WHERE number NOT BETWEEN 1 AND ?) AS outside
        FROM records
      `)
      .get(input.records) as { records: number; numbers: number; outside: number; leaders: number }

    const hash = createHash('sha256')
    const rows = database.prepare('SELECT line FROM records ORDER BY number').iterate() as Iterable<{ line: string }>
    for (const { line } of rows) hash.update(line).update('\n')

    const faults: string[] = []
    if (records > numbers) faults.push(`${records - numbers} records are there more than once`)
    if (numbers - outside < input.records) faults.push(`${input.records - (numbers - outside)} records are missing`)
    if (outside > 0) faults.push(`${outside} records are not of the source`)
    if (faults.length === 0 && hash.digest('hex') !== (await input.fingerprint()))
      faults.push('records differ from the source')
    return { records, leaders, faults }
  } finally {
    database.close()
  }
}
