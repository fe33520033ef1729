/** Every example in the documents compiles against the source, and those whose servers are here run and print what is said. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Program, programsIn } from './readme/examples.ts'
import { GIVEN, GIVEN_FILES } from './readme/given.ts'
import { DECORATOR_MODES, type DecoratorMode } from './support/compile.ts'
import { RedisServer } from './support/redis-server.ts'
import { startMariaDb, startPostgres } from './support/sql-servers.ts'

const DOCUMENTS = [
  'README.md',
  'docs/backends.md',
  'docs/decorators.md',
  'docs/executors.md',
  'docs/nestjs.md',
  'docs/writing-leader-work.md',
  'CONTRIBUTING.md',
]

const root = fileURLToPath(new URL('..', import.meta.url))
const given = readFileSync(GIVEN, 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'simba-readme-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Example extends Program {
  readonly name: string
  readonly mode: DecoratorMode
  readonly file: string
}

const examples: readonly Example[] = DOCUMENTS.flatMap((document) =>
  programsIn(readFileSync(join(root, document), 'utf8')).flatMap((program, index) =>
    modesOf(program.code).map((mode, _, { length }) => ({
      ...program,
      mode,
      name: `program ${index + 1} of ${document}${length > 1 ? ` with ${mode} decorators` : ''}`,
      file: `${document.replaceAll(/\W/g, '-')}-${index + 1}.ts`,
    })),
  ),
)

/** What has decorators works in both modes, but for those at parameters, and those of NestJS at methods, which are legacy by nature. */
function modesOf(code: string): readonly DecoratorMode[] {
  if (/constructor\([^)]*(private|@)/.test(code)) return ['legacy']
  return /^ *@\w+\(/m.test(code) ? DECORATOR_MODES : ['standard']
}

// For each mode a package of its own, with this project's dependencies and compiler options.
for (const mode of DECORATOR_MODES) {
  const isLegacy = mode === 'legacy'
  mkdirSync(join(folder, mode))
  symlinkSync(join(root, 'node_modules'), join(folder, mode, 'node_modules'))
  writeFileSync(join(folder, mode, 'package.json'), JSON.stringify({ type: 'module' }))
  writeFileSync(
    join(folder, mode, 'tsconfig.json'),
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        // An example may name a thing and leave it at that.
        noUnusedLocals: false,
        typeRoots: [join(root, 'node_modules/@types')],
        experimentalDecorators: isLegacy,
        emitDecoratorMetadata: isLegacy,
        erasableSyntaxOnly: !isLegacy,
      },
      include: ['*.ts', join(root, 'test/readme/*.d.ts')],
      exclude: [],
    }),
  )
  writeFileSync(join(folder, mode, 'given.ts'), given)
  for (const [name, text] of Object.entries(GIVEN_FILES)) writeFileSync(join(folder, mode, name), text)
}
for (const { mode, file, code } of examples) writeFileSync(join(folder, mode, file), `import './given.ts'\n${code}`)

/** For a program that ends by itself within a few seconds, or when it is asked to. */
const TIMEOUT_MS = 45_000

interface Needed {
  readonly program: string
  readonly variable: string
  start(): Promise<{ readonly url: string; dispose(): Promise<void> }>
}

/** The server that a program asks for, by the variable that says where it is. */
const SERVERS: readonly Needed[] = [
  { program: 'postgres', variable: 'POSTGRES_URL', start: startPostgres },
  { program: 'mariadbd', variable: 'MYSQL_URL', start: startMariaDb },
  { program: 'redis-server', variable: 'REDIS_URL', start: () => RedisServer.start() },
]
const missing = (process.env.SIMBA_MISSING_SERVERS ?? '').split(',')

function serverFor(code: string): Needed | undefined {
  return SERVERS.find(({ variable }) => code.includes(`process.env.${variable}`))
}

/** Those that need a server at an address of their own are compiled only. */
function runs(code: string): boolean {
  return !/from '(simba-xstate\/redis|@statelyai|vitest)/.test(code)
}

/** The lines, with those left out that differ from the one before by numbers alone, and those that are NestJS's own. */
function shapeOf(text: string): readonly string[] {
  const lines = text
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('[Nest]'))
    .map((line) => line.replaceAll(/\d+/g, 'n'))
  return lines.filter((line, index) => line !== lines[index - 1])
}

/** An application that ends when it is told to: it gets the signal when it has printed what it should. */
const isApplication = (code: string) => code.includes('enableShutdownHooks')

async function run({ mode, file, code, prints = '' }: Example, environment: NodeJS.ProcessEnv) {
  const cwd = join(folder, mode)
  const env = { ...process.env, NO_COLOR: '1', TSX_TSCONFIG_PATH: join(cwd, 'tsconfig.json'), ...environment }
  const child = spawn(process.execPath, ['--import', 'tsx', file], { cwd, env, timeout: TIMEOUT_MS })
  const output = { stdout: '', stderr: '' }
  child.stderr.on('data', (text) => {
    output.stderr += text
  })
  child.stdout.on('data', (text) => {
    output.stdout += text
    if (isApplication(code) && shapeOf(output.stdout).length === shapeOf(prints).length) child.kill('SIGTERM')
  })
  const [status, signal] = await once(child, 'close')
  return { status, signal, ...output }
}

describe('the examples in the documents', () => {
  test.each(DECORATOR_MODES)('compile against the source, with %s decorators', (mode) => {
    expect(examples.filter((example) => example.mode === mode).length).toBeGreaterThan(2)
    const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', join(folder, mode)], { encoding: 'utf8' })
    expect(stdout).toBe('')
  })

  for (const example of examples) {
    if (!runs(example.code)) continue
    const server = serverFor(example.code)
    test.skipIf(server && missing.includes(server.program))(
      `${example.name} runs, ends and complains of nothing`,
      async () => {
        const started = await server?.start()
        onTestFinished(() => started?.dispose())
        const environment = server && started ? { [server.variable]: started.url } : {}
        const { stdout, stderr, status, signal } = await run(example, environment)
        expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' })
        if (example.prints !== undefined) expect(shapeOf(stdout)).toEqual(shapeOf(example.prints))
      },
    )
  }
})
