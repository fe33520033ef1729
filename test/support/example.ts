/** Runs a file of examples/ as a person would, in a process with a temporary folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export interface Example {
  readonly process: ChildProcess
  /** All that it has printed so far, errors included. */
  output(): string
  /** Resolves when the output matches. */
  printed(pattern: RegExp): Promise<void>
  /** Resolves with the exit code when it and all processes that it has started are gone; `null` where a signal has ended it. */
  readonly ended: Promise<number | null>
  /** What it has left in its temporary folder. */
  leftFiles(): readonly string[]
}

/** A folder for a test's files that goes with the test. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'simba-example-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function startExample(file: string, ...args: readonly string[]): Example {
  return startExampleIn({}, file, ...args)
}

/** With more variables in its environment. */
export function startExampleIn(environment: NodeJS.ProcessEnv, file: string, ...args: readonly string[]): Example {
  const temporary = join(testFolder(), 'tmp')
  mkdirSync(temporary)
  const child = spawn(process.execPath, ['--import', 'tsx', `examples/${file}`, ...args], {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: temporary, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // Politely, so that what it has started ends with it.
  onTestFinished(() => void child.kill())
  let output = ''
  const watchers = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      output += text
      for (const watch of watchers) watch()
    })
  }
  return {
    process: child,
    output: () => output,
    printed: (pattern) =>
      new Promise((resolve) => {
        const watch = () => {
          if (!pattern.test(output)) return
          watchers.delete(watch)
          resolve()
        }
        watchers.add(watch)
        watch()
      }),
    ended: once(child, 'close').then(([code]) => code as number | null),
    leftFiles: () => readdirSync(temporary).filter((name) => name.startsWith('simba-')),
  }
}
