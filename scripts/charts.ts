/** Draws the machines into docs/charts. With `--check` it writes nothing, and fails where what is there is not what would be drawn. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { drawPages, FOLDER, type Pages } from './charts/pages.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = join(root, FOLDER)

/** Names of files that are missing, different, or there for no machine. */
function staleAmong(pages: Pages): readonly string[] {
  const there = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
  return [...new Set([...pages.keys(), ...there.keys()])].filter((name) => pages.get(name) !== there.get(name)).sort()
}

mkdirSync(folder, { recursive: true })
const pages = await drawPages(root)
const stale = staleAmong(pages)
if (!process.argv.includes('--check')) {
  for (const name of stale) {
    const page = pages.get(name)
    if (page === undefined) rmSync(join(folder, name))
    else writeFileSync(join(folder, name), page)
  }
  console.log(stale.length === 0 ? `${FOLDER} is up to date.` : `Drawn into ${FOLDER}: ${stale.join(', ')}`)
} else if (stale.length > 0) {
  console.error(`Stale in ${FOLDER}: ${stale.join(', ')}. Run 'npm run charts'.`)
  process.exitCode = 1
}
