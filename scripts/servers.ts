/** The servers that tests and benchmarks start: found on the path, or, as root on Debian, installed. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** What is looked for, and the Debian package that brings it. */
const SERVERS = [{ program: 'redis-server', debian: 'redis-server' }] as const

/** Returns the names of those that are not here and cannot be installed. */
export function ensureServers(): readonly string[] {
  const absent = SERVERS.filter(({ program }) => !isThere(program))
  if (absent.length === 0) return []
  if (existsSync('/etc/debian_version') && process.getuid?.() === 0) {
    const packages = absent.map(({ debian }) => debian)
    console.log(`Installing ${packages.join(', ')} for the tests …`)
    run('apt-get', ['update', '-qq'])
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages])
  }
  return SERVERS.filter(({ program }) => !isThere(program)).map(({ program }) => program)
}

function isThere(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0
}

function run(command: string, args: readonly string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], env })
}
