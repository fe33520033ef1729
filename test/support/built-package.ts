/** The package as it is published, built once for the source as it is: what is started from there is the real thing. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Below the dependencies, so that they are found from there. */
const CACHE = join(ROOT, 'node_modules/.cache/simba-xstate')

const LONGEST_BUILD_MS = 180_000
/** A build of another source may still be in use by other tests. */
const STALE_AFTER_MS = 3_600_000

/** There before the first test of the file. Returns the folder of the package. */
export function builtPackage(): () => string {
  let folder = ''
  beforeAll(() => {
    folder = build()
  }, LONGEST_BUILD_MS)
  return () => folder
}

function build(): string {
  const folder = join(CACHE, nameOfSource())
  if (existsSync(folder)) return folder
  mkdirSync(CACHE, { recursive: true })
  for (const old of readdirSync(CACHE).map((name) => join(CACHE, name))) {
    if (Date.now() - statSync(old).mtimeMs > STALE_AFTER_MS) rmSync(old, { recursive: true, force: true })
  }
  const making = mkdtempSync(join(CACHE, 'making-'))
  copyFileSync(join(ROOT, 'package.json'), join(making, 'package.json'))
  const tsc = [join(ROOT, 'node_modules/.bin/tsc'), '-p', 'tsconfig.build.json', '--outDir', join(making, 'dist')]
  const { status, stdout } = spawnSync(process.execPath, tsc, { cwd: ROOT, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the package does not compile:\n${stdout}`)
  try {
    renameSync(making, folder)
  } catch {
    // Somebody else was faster.
    rmSync(making, { recursive: true, force: true })
  }
  return folder
}

function nameOfSource(): string {
  const hash = createHash('sha256')
  for (const file of ['package.json', 'tsconfig.json', 'tsconfig.build.json'])
    hash.update(readFileSync(join(ROOT, file)))
  const source = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  for (const file of source.filter((name) => name.endsWith('.ts')).sort()) {
    hash.update(file).update(readFileSync(join(ROOT, 'src', file)))
  }
  return `build-${hash.digest('hex').slice(0, 16)}`
}
