/**
 * Who may know whom. Imports of types count like all others: a file that needs the type of another cannot be read without it, and no
 * cycle among them is necessary.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const source = fileURLToPath(new URL('../src', import.meta.url))

/** What each part of the source may import: other parts, and packages. `*` is any package. */
const ALLOWED: Readonly<Record<string, { readonly parts: readonly string[]; readonly packages: readonly string[] }>> = {
  'index.ts': { parts: ['runtime', 'model'], packages: [] },
  cli: { parts: ['cli', 'runtime', 'model'], packages: ['*'] },
  'testing.ts': { parts: ['simulation', 'backends'], packages: [] },
  nestjs: { parts: ['nestjs', 'runtime', 'model'], packages: ['@nestjs/common', '@nestjs/core', '@nestjs/config'] },
  decorators: { parts: ['decorators', 'runtime'], packages: [] },
  simulation: { parts: ['simulation', 'runtime', 'backends', 'model'], packages: [] },
  runtime: { parts: ['runtime', 'machines', 'backends', 'model'], packages: ['*'] },
  machines: { parts: ['machines', 'model'], packages: ['xstate'] },
  backends: { parts: ['backends', 'model'], packages: ['*'] },
  model: { parts: ['model'], packages: [] },
}
/** What even a part that may import any package may not. */
const FORBIDDEN: Readonly<Record<string, readonly string[]>> = {
  backends: ['xstate'],
  cli: ['xstate'],
  runtime: ['commander'],
}

/** What machines and the plain code that they share may not touch: clocks, timers, chance, the process, the network. */
const IMPURE =
  /\b(Date|performance|process|globalThis|crypto|fetch|setTimeout|setInterval|setImmediate|queueMicrotask)\b|\bMath\.random\b|\bawait\b/

interface SourceFile {
  readonly path: string
  readonly text: string
  readonly imports: readonly string[]
}

const files: readonly SourceFile[] = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => {
    const text = readFileSync(join(source, path), 'utf8')
    return { path: path.replaceAll('\\', '/'), text, imports: importsIn(text) }
  })
  .sort((a, b) => (a.path < b.path ? -1 : 1))

/** The specifiers of all imports and re-exports, static or dynamic, of values or types. */
function importsIn(text: string): readonly string[] {
  const fixed = text.matchAll(/^(?:import|export)\b(?:[\w\s{},*$]*?\bfrom\b)?\s*['"]([^'"]+)['"]/gm)
  const called = withoutComments(text).matchAll(/\b(?:import|require)\(\s*['"]([^'"]+)['"]/g)
  return [...fixed, ...called].map(([, specifier = '']) => specifier)
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/(^|\s)\/\/.*$/gm, '')
}

const isRelative = (specifier: string) => specifier.startsWith('.')
const resolve = (from: string, specifier: string) => posix.normalize(posix.join(posix.dirname(from), specifier))
const partOf = (path: string) => path.split('/')[0]!
const packageOf = (specifier: string) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')

function offence({ path }: SourceFile, specifier: string): string | undefined {
  const part = partOf(path)
  const { parts, packages } = ALLOWED[part]!
  const allowed = isRelative(specifier)
    ? parts.includes(partOf(resolve(path, specifier)))
    : packages.includes('*') || packages.includes(packageOf(specifier))
  const forbidden = FORBIDDEN[part]?.includes(packageOf(specifier)) ?? false
  return allowed && !forbidden ? undefined : `${path} imports ${specifier}`
}

/** The first way round that is found from each file, if there is one. */
function cycles(): readonly string[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const found: string[] = []
  const done = new Set<string>()
  function visit(path: string, way: readonly string[]): void {
    const first = way.indexOf(path)
    if (first >= 0) found.push([...way.slice(first), path].join(' > '))
    if (first >= 0 || done.has(path)) return
    for (const specifier of byPath.get(path)?.imports ?? []) {
      if (isRelative(specifier)) visit(resolve(path, specifier), [...way, path])
    }
    done.add(path)
  }
  for (const { path } of files) visit(path, [])
  return found
}

describe('the direction of imports', () => {
  test('every file of the source belongs to a part that has rules', () => {
    expect(files.map(({ path }) => partOf(path)).filter((part) => !(part in ALLOWED))).toEqual([])
  })

  test('every import leads to a file that is there', () => {
    const paths = new Set(files.map(({ path }) => path))
    const astray = files.flatMap(({ path, imports }) =>
      imports
        .filter((specifier) => isRelative(specifier) && !paths.has(resolve(path, specifier)))
        .map((to) => `${path} imports ${to}`),
    )
    expect(astray).toEqual([])
  })

  test.each(Object.keys(ALLOWED))('%s imports nothing but what it may', (part) => {
    const own = files.filter(({ path }) => partOf(path) === part)
    expect(own).not.toEqual([])
    expect(own.flatMap((file) => file.imports.flatMap((specifier) => offence(file, specifier) ?? []))).toEqual([])
  })

  test('no file imports itself, by whatever way round', () => {
    expect(cycles()).toEqual([])
  })

  test.each(['machines', 'model'])('%s are pure: no clock, no timer, no chance, nothing of the process', (part) => {
    const impure = files
      .filter(({ path }) => partOf(path) === part)
      .flatMap(({ path, text }) =>
        withoutComments(text)
          .split('\n')
          .filter((line) => IMPURE.test(line))
          .map((line) => `${path}: ${line.trim()}`),
      )
    expect(impure).toEqual([])
  })
})
