/** Which stories there are, as their sources say, and where the log of each is. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const HERE = fileURLToPath(new URL('.', import.meta.url))
export const LOGS = join(HERE, 'logs')

export interface Told {
  readonly name: string
  /** The path of its source. */
  readonly source: string
}

const STORY = /^story\(\s*(?<quote>['"])(?<name>.+)\k<quote>,$/gm

export function storiesTold(): readonly Told[] {
  const sources = readdirSync(HERE)
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join(HERE, file))
  return sources.flatMap((source) =>
    [...readFileSync(source, 'utf8').matchAll(STORY)].map(({ groups }) => ({ name: groups!.name!, source })),
  )
}

export function logFileOf(name: string): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return `${words.join('-')}.log`
}
