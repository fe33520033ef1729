/** `npm start` with a small file: real processes, real signals. What is asserted is what happened, never how fast. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startExample, testFolder } from '../support/example.ts'

function fileWith(content: string | Buffer): string {
  const file = join(testFolder(), 'input.txt')
  writeFileSync(file, content)
  return file
}

/** Lines of all kinds: empty, equal to others, with a carriage return, not in ASCII; none at the end of the last one. */
const LINES = Array.from(
  { length: 15 },
  (_, index) => ['', 'twice', `ü ${index} 🦁`, `line ${index}\r`][index % 4],
).join('\n')

test('a leader that is killed, replaced, paused and killed again: every line is in the sink exactly once', async () => {
  const example = startExample('ingest/main.ts', '--file', fileWith(LINES), '--lease', '1000')
  expect(await example.ended, example.output()).toBe(0)

  const story = [...example.output().matchAll(/killed|asked to stop|paused|continued|sink refuses|CHECKED/g)].map(
    String,
  )
  expect(story).toEqual(['killed', 'asked to stop', 'paused', 'continued', 'sink refuses', 'killed', 'CHECKED'])
  expect(example.output()).toContain('the sink refuses the 1 record of')
  expect(example.output()).toContain('exactly once, unchanged: 15 in all')
  const tokens = [...example.output().matchAll(/ leads, token (\d+)/g)].map(([, token]) => Number(token))
  expect(tokens.length).toBeGreaterThanOrEqual(5)
  expect(tokens).toEqual([...new Set(tokens)].toSorted((one, other) => one - other))
  expect(example.output()).toMatch(/\+[\d,]+ ms {2}the lease is released/)
  expect(example.leftFiles()).toEqual([])
})

test('a file of one line is enough for the whole story', async () => {
  const example = startExample('ingest/main.ts', '--file', fileWith('one line'), '--lease', '1000')
  expect(await example.ended, example.output()).toBe(0)
  expect(example.output()).toContain('exactly once, unchanged: 1 in all')
})

test('an interrupt ends the demo, its nodes and its files', async () => {
  const example = startExample('ingest/main.ts', '--file', fileWith('one line'), '--lease', '1000')
  await example.printed(/ is paused /)
  expect(example.leftFiles()).toHaveLength(1)
  example.process.kill('SIGINT')
  // Its output is closed when the last process that can write to it is gone, paused ones included.
  expect(await example.ended).toBe(130)
  expect(example.leftFiles()).toEqual([])
})

test.each([
  ['is not there', () => join(testFolder(), 'nothing'), /There is no file .*nothing\./],
  ['is a folder', () => testFolder(), /is not a file\./],
  ['is empty', () => fileWith(''), /is empty: there is nothing to ingest\./],
  ['is not UTF-8', () => fileWith(Buffer.from([0x68, 0xff, 0x0a])), /cannot be ingested: it is not text in UTF-8\./],
  ['is binary', () => fileWith('a\0b\n'), /cannot be ingested: it is binary, not text\./],
  ['is one endless line', () => fileWith('x'.repeat(2_000_000)), /cannot be ingested: it has a line of more than/],
])('a file that %s is refused in one line that says so', async (_, createFile, message) => {
  const example = startExample('ingest/main.ts', '--file', createFile())
  expect(await example.ended).toBe(1)
  expect(example.output()).toMatch(message)
  expect(example.output().trim().split('\n')).toHaveLength(1)
  expect(example.leftFiles()).toEqual([])
})

test('an option that does not exist is refused with the usage', async () => {
  const example = startExample('ingest/main.ts', '--fiel', 'x')
  expect(await example.ended).toBe(2)
  expect(example.output()).toMatch(/Unknown option '--fiel'[\s\S]*--file PATH/)
})
