/** The servers that tests and benchmarks start: found on this machine, or, as root on Debian, installed. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { postgresFolder } from '../test/support/sql-servers.ts'

interface Needed {
  readonly name: string
  readonly isThere: () => boolean
  /** The Debian package that brings it. */
  readonly debian: string
}

const NEEDED: readonly Needed[] = [
  { name: 'redis-server', isThere: () => runs('redis-server'), debian: 'redis-server' },
  { name: 'postgres', isThere: () => postgresFolder() !== undefined, debian: 'postgresql' },
  { name: 'mariadbd', isThere: () => runs('mariadbd'), debian: 'mariadb-server-core' },
  { name: 'java', isThere: () => runs('java'), debian: 'default-jre-headless' },
  { name: 'zookeeper.jar', isThere: () => existsSync('/usr/share/java/zookeeper.jar'), debian: 'libzookeeper-java' },
]

/** Returns the names of those that are not here and cannot be installed. */
export function ensureServers(): readonly string[] {
  const absent = NEEDED.filter(({ isThere }) => !isThere())
  if (absent.length === 0) return []
  if (existsSync('/etc/debian_version') && process.getuid?.() === 0) {
    const packages = absent.map(({ debian }) => debian)
    console.log(`Installing ${packages.join(', ')} for the tests …`)
    run('apt-get', ['update', '-qq'])
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages])
  }
  return NEEDED.filter(({ isThere }) => !isThere()).map(({ name }) => name)
}

function runs(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0
}

function run(command: string, args: readonly string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], env })
}
