import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { findMachineFiles, isMachineFile, readConfig } from '../scripts/charts/discover.ts'
import { drawPages, FOLDER } from '../scripts/charts/pages.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Drawing takes a second or two. */
const drawn = drawPages(root)

describe('the pictures of the machines', () => {
  test('stately.config.json finds every file of the source that makes a machine, and nothing else', () => {
    const makers = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .map((path) => join('src', path))
      .filter((path) => path.endsWith('.ts') && isMachineFile(readFileSync(join(root, path), 'utf8')))
    expect(makers).not.toEqual([])
    expect(findMachineFiles(root, readConfig(root))).toEqual(makers.sort())
  })

  test('there is a picture of each machine, and each is what its machine looks like now', async () => {
    const pages = await drawn
    expect([...pages.keys()].filter((name) => name.endsWith('.svg'))).toHaveLength(
      findMachineFiles(root, readConfig(root)).length,
    )
    expect(readdirSync(join(root, FOLDER)).sort()).toEqual([...pages.keys()].sort())
    for (const [name, page] of pages) {
      expect(
        readFileSync(join(root, FOLDER, name), 'utf8') === page,
        `${FOLDER}/${name} is stale: npm run charts`,
      ).toBe(true)
    }
  })

  test('drawing twice gives the same bytes', async () => {
    expect(await drawPages(root)).toEqual(await drawn)
  })
})
