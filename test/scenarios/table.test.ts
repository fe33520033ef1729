/** README.md says of every hazard where it is played, and the logs are those of the stories that are told. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { LOGS, logFileOf, storiesTold } from './told.ts'

const HERE = dirname(fileURLToPath(import.meta.url))
const names = storiesTold().map(({ name }) => name)

/** The rows of the tables: what went wrong, where it was seen, what the row links to. */
const rows = readFileSync(join(HERE, 'README.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (What went wrong|---)/.test(line))
  .map((line) => {
    const [, hazard = '', seen = ''] = line.split('|').map((cell) => cell.trim())
    const links = [...line.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, text = '', path = '']) => ({ text, path }))
    return { hazard, seen: seen.split(', '), links, stories: links.filter(({ path }) => path.startsWith('logs/')) }
  })

describe('the stories', () => {
  test('have a name each, and each has its log', () => {
    expect(names.length).toBeGreaterThan(40)
    expect(new Set(names.map(logFileOf)).size).toBe(names.length)
    expect(readdirSync(LOGS).sort(), 'npm run stories').toEqual(names.map(logFileOf).sort())
  })
})

describe('the table of hazards', () => {
  test('has every story, under its name', () => {
    const told = rows.flatMap(({ stories }) => stories)
    expect(told.map(({ text }) => text).sort()).toEqual([...names].sort())
    for (const { text, path } of told) expect(path).toBe(`logs/${logFileOf(text)}`)
  })

  test('names for every hazard the story or the tests that are about it, and at least forty have a story', () => {
    expect(rows.length).toBeGreaterThanOrEqual(50)
    for (const { hazard, links } of rows) {
      expect(links, hazard).not.toEqual([])
      expect(links.filter(({ path }) => !existsSync(join(HERE, path)))).toEqual([])
    }
    expect(rows.filter(({ stories }) => stories.length > 0).length).toBeGreaterThanOrEqual(40)
  })

  test('says where it was seen as its stories do', () => {
    for (const { seen, stories } of rows) {
      if (stories.length === 0) continue
      const played = stories.flatMap(({ path }) => hazardsOf(readFileSync(join(HERE, path), 'utf8')))
      expect([...new Set(played)].sort()).toEqual([...seen].sort())
    }
  })
})

/** From the second line of a log. */
function hazardsOf(log: string): readonly string[] {
  const [, line = ''] = log.split('\n')
  return line
    .replace(/^Hazard: /, '')
    .replace(/\.$/, '')
    .split('; ')
}
