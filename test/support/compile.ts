/** TypeScript's own compiler, in either of its two modes for decorators. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export const DECORATOR_MODES = ['standard', 'legacy'] as const
export type DecoratorMode = (typeof DECORATOR_MODES)[number]

/** What the compiler has to say about these files, which are paths from the root of the project. */
export function complaintsAbout(mode: DecoratorMode, ...files: readonly string[]): Promise<string> {
  return inFolder((folder) => compile(folder, mode, files, { typeRoots: [join(ROOT, 'node_modules/@types')] }))
}

/** The module that the compiler makes of a file which imports nothing but types. */
export async function compiled<Module>(mode: DecoratorMode, file: string): Promise<Module> {
  const options = { noEmit: false, noCheck: true, noResolve: true, types: [] }
  return inFolder((folder) => {
    const complaints = compile(folder, mode, [file], { ...options, outDir: folder, rootDir: join(ROOT, file, '..') })
    if (complaints !== '') throw new Error(complaints)
    return import(join(folder, basename(file).replace(/\.ts$/, '.js')))
  })
}

async function inFolder<T>(use: (folder: string) => T): Promise<Awaited<T>> {
  const folder = mkdtempSync(join(tmpdir(), 'simba-compile-'))
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function compile(folder: string, mode: DecoratorMode, files: readonly string[], options: object): string {
  const isLegacy = mode === 'legacy'
  const config = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: { experimentalDecorators: isLegacy, emitDecoratorMetadata: isLegacy, ...options },
    files: files.map((file) => join(ROOT, file)),
    include: [],
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  return spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' }).stdout
}
