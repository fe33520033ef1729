/** The sink of the ingest example, and the check that is made of it in the end. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { audit } from '../../examples/ingest/audit.ts'
import { openDatabase } from '../../examples/ingest/database.ts'
import { type Input, textFile } from '../../examples/ingest/input.ts'
import { Sink, StaleTokenError } from '../../examples/ingest/sink.ts'
import { Source } from '../../examples/ingest/source.ts'
import { testFolder } from '../support/example.ts'

let path: string
let source: Source
let input: Input
let sink: Sink

beforeEach(async () => {
  const folder = testFolder()
  const file = join(folder, 'input.txt')
  writeFileSync(file, 'one\ntwo\n\nthree ü\nfour')
  path = join(folder, 'sink.db')
  input = await textFile(file)
  source = new Source(file, 2)
  sink = new Sink(path)
})

/** Writes all, as one leader does that nobody disturbs. */
async function ingestAll(token: number): Promise<void> {
  let cursor = sink.claim(token)
  for (;;) {
    const batch = await source.read(cursor)
    if (batch.lines.length === 0) return
    cursor = sink.write(batch, token)
  }
}

function tamper(sql: string): void {
  const database = openDatabase(path)
  database.exec(sql)
  database.close()
}

test('what one leader has written is the source, record by record', async () => {
  await ingestAll(7)
  expect(await audit(path, input)).toEqual({ records: 5, leaders: 1, faults: [] })
})

test('a lower token is refused, with all that it brings', async () => {
  const late = await source.read(sink.claim(7))
  sink.claim(8)
  expect(() => sink.write(late, 7)).toThrow(StaleTokenError)
  expect(() => sink.claim(7)).toThrow(StaleTokenError)
  await ingestAll(8)
  expect(await audit(path, input)).toEqual({ records: 5, leaders: 1, faults: [] })
})

test('a write that was in time is where the next leader goes on', async () => {
  sink.write(await source.read(sink.claim(7)), 7)
  expect(sink.claim(8)).toEqual({ record: 2, offset: 8 })
  await ingestAll(8)
  expect(await audit(path, input)).toEqual({ records: 5, leaders: 2, faults: [] })
})

test.each([
  ['missing', 'DELETE FROM records WHERE number = 2', '1 records are missing'],
  ['there twice', 'INSERT INTO records SELECT * FROM records WHERE number = 2', '1 records are there more than once'],
  ['changed', "UPDATE records SET line = 'tow' WHERE number = 2", 'records differ from the source'],
  ['not of the source', "INSERT INTO records VALUES (6, 'five', 7)", '1 records are not of the source'],
])('the check notices a record that is %s', async (_, sql, fault) => {
  await ingestAll(7)
  tamper(sql)
  expect((await audit(path, input)).faults).toEqual([fault])
})
