/** Every example in the documents compiles against the source, and those that need no server run and print what is said. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { programsIn } from './readme/examples.ts'
import { GIVEN } from './readme/given.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const given = readFileSync(GIVEN, 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'simba-readme-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const programs = ['README.md', 'docs/backends.md', 'CONTRIBUTING.md'].flatMap((document) =>
  programsIn(readFileSync(join(root, document), 'utf8')).map((program, index) => ({
    ...program,
    name: `program ${index + 1} of ${document}`,
    file: `${document.replaceAll(/\W/g, '-')}-${index + 1}.ts`,
  })),
)

// A package of its own, with this project's dependencies and compiler options.
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
writeFileSync(
  join(folder, 'tsconfig.json'),
  JSON.stringify({
    extends: join(root, 'tsconfig.json'),
    // An example may name a thing and leave it at that.
    compilerOptions: { noUnusedLocals: false, typeRoots: [join(root, 'node_modules/@types')] },
    include: ['*.ts', join(root, 'test/readme/*.d.ts')],
  }),
)
writeFileSync(join(folder, 'given.ts'), given)
for (const { file, code } of programs) writeFileSync(join(folder, file), `import './given.ts'\n${code}`)

/** For a program that ends by itself within a few seconds. */
const TIMEOUT_MS = 45_000

function runs(code: string): boolean {
  return !/from '(simba-xstate\/redis|@statelyai|vitest)/.test(code)
}

/** The lines, with those left out that differ from the one before by numbers alone. */
function shapeOf(text: string): readonly string[] {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => line.replaceAll(/\d+/g, 'n'))
  return lines.filter((line, index) => line !== lines[index - 1])
}

describe('the examples in the documents', () => {
  test('compile against the source', () => {
    expect(programs.length).toBeGreaterThan(2)
    const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' })
    expect(stdout).toBe('')
  })

  for (const { name, file, code, prints } of programs) {
    if (!runs(code)) continue
    test(`${name} runs, ends by itself and complains of nothing`, () => {
      const tsx = ['--import', 'tsx', file]
      const env = { ...process.env, TSX_TSCONFIG_PATH: join(folder, 'tsconfig.json') }
      const options = { cwd: folder, env, encoding: 'utf8', timeout: TIMEOUT_MS } as const
      const { stdout, stderr, status, signal } = spawnSync(process.execPath, tsx, options)
      expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' })
      if (prints !== undefined) expect(shapeOf(stdout)).toEqual(shapeOf(prints))
    })
  }
})
