/** Keeps a folder of generated pages as they should be; with `--check` it writes nothing, and fails where they are not. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Contents by file name. */
export type Pages = ReadonlyMap<string, string>

export interface Generated {
  /** Below the root of the project. */
  readonly folder: string
  /** What makes them anew. */
  readonly command: string
  readonly pagesOf: (root: string) => Promise<Pages>
}

const root = dirname(dirname(fileURLToPath(import.meta.url)))

export async function keepFresh({ folder, command, pagesOf }: Generated): Promise<void> {
  mkdirSync(join(root, folder), { recursive: true })
  const pages = await pagesOf(root)
  const stale = staleAmong(pages, join(root, folder))
  if (!process.argv.includes('--check')) {
    for (const name of stale) {
      const page = pages.get(name)
      if (page === undefined) rmSync(join(root, folder, name))
      else writeFileSync(join(root, folder, name), page)
    }
    console.log(stale.length === 0 ? `${folder} is up to date.` : `Written to ${folder}: ${stale.join(', ')}`)
  } else if (stale.length > 0) {
    console.error(`Stale in ${folder}: ${stale.join(', ')}. Run '${command}'.`)
    process.exitCode = 1
  }
}

/** Names of files that are missing, different, or there for nothing. */
function staleAmong(pages: Pages, folder: string): readonly string[] {
  const there = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
  return [...new Set([...pages.keys(), ...there.keys()])].filter((name) => pages.get(name) !== there.get(name)).sort()
}
