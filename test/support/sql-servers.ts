/** SQL servers of a test's own, for examples that write to them: a private port, a folder that goes away with the server, one empty database. */
import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { freePort } from './server-process.ts'

export interface SqlServer {
  readonly url: string
  /** Ends the server and takes its folder away. */
  dispose(): Promise<void>
}

const START_TIMEOUT_MS = 30_000

/** Where PostgreSQL's programs are: Debian keeps them off the path. */
export function postgresFolder(): string | undefined {
  const debian = '/usr/lib/postgresql'
  const versions = listing(debian).toSorted((one, other) => Number(other) - Number(one))
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...versions.map((version) => join(debian, version, 'bin')),
  ]
  return folders.find((folder) => ['initdb', 'postgres'].every((program) => listing(folder).includes(program)))
}

export async function startPostgres(): Promise<SqlServer> {
  const programs = postgresFolder()
  if (programs === undefined) throw new Error('there is no PostgreSQL; on Debian: apt-get install postgresql')
  const folder = serverFolder()
  const owner = ownerForPostgres()
  if (owner) chownSync(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  const initialize = ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--no-sync']
  execFileSync(join(programs, 'initdb'), initialize, { ...owner, cwd: folder, stdio: 'ignore' })
  const port = await freePort()
  const args = [
    '-D',
    data,
    '-p',
    `${port}`,
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    `unix_socket_directories=${folder}`,
  ]
  const server = await start(folder, join(programs, 'postgres'), args, { ...owner, cwd: folder })
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, dispose: server }
}

/** Without users and rights, and so without tables for them: it starts in a moment. */
export async function startMariaDb(): Promise<SqlServer> {
  const folder = serverFolder()
  const data = join(folder, 'data')
  mkdirSync(join(data, 'test'), { recursive: true })
  const port = await freePort()
  const where = [`--datadir=${data}`, `--socket=${join(folder, 's.sock')}`, `--pid-file=${join(folder, 'pid')}`]
  const args = ['--no-defaults', '--skip-grant-tables', '--bind-address=127.0.0.1', `--port=${port}`, ...where]
  const user = process.getuid?.() === 0 ? ['--user=root'] : []
  return {
    url: `mysql://root@127.0.0.1:${port}/test`,
    dispose: await start(folder, 'mariadbd', [...args, ...user], {}),
  }
}

/** Resolves when the server says that it is ready, with what ends it. */
async function start(
  folder: string,
  program: string,
  args: readonly string[],
  options: SpawnOptions,
): Promise<() => Promise<void>> {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  const dispose = async () => {
    process.off('exit', kill)
    if (child.exitCode === null && child.signalCode === null) {
      // At once, but with what it shares with its children given back.
      child.kill('SIGQUIT')
      await once(child, 'exit')
    }
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await ready(program, child)
  } catch (error) {
    await dispose()
    throw error
  }
  return dispose
}

function ready(program: string, child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    const timeout = setTimeout(
      () => reject(new Error(`${program} was not ready within ${START_TIMEOUT_MS} ms\n${said}`)),
      START_TIMEOUT_MS,
    )
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${program} has ended with code ${code}\n${said}`)))
    child.stderr?.on('data', (text) => {
      said += text
      if (!/ready (to accept|for) connections/.test(said)) return
      clearTimeout(timeout)
      resolve()
    })
  })
}

function serverFolder(): string {
  return mkdtempSync(join(tmpdir(), 'simba-sql-'))
}

/** PostgreSQL refuses to run as root. */
function ownerForPostgres(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (which: '-u' | '-g') => Number(execFileSync('id', [which, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

function listing(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
