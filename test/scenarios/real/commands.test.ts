/** `command()` in an application: what the command is given, what becomes of its output, and how its end is told. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { CommandOptions, OutputLine, Simba, SimbaEvent, Task } from '../../../src/index.ts'
import { sharedDeadline } from '../../../src/runtime/clock/machine.ts'
import type { FromGuard, ToGuard } from '../../../src/runtime/executors/command/messages.ts'
import { builtPackage } from '../../support/built-package.ts'
import { LogBook } from '../../support/log-book.ts'
import { isRunning, statOf } from '../../support/processes.ts'
import { until } from '../../support/simba-process.ts'

const LEASE_MS = 3_000

const built = builtPackage()

/** The package: from there, its guard starts at once. */
let api: typeof import('../../../src/index.ts')
beforeAll(async () => {
  api = await import(pathToFileURL(join(built(), 'dist/index.js')).href)
})

let simba: Simba
let log: LogBook
let events: SimbaEvent[]

beforeEach(() => {
  log = new LogBook()
  events = []
  simba = api.createSimba({ backend: 'memory:', node: 'north', leaseDuration: LEASE_MS, logger: log })
  simba.on('*', (event) => events.push(event))
  simba.send({ type: 'START' })
})
afterEach(() => simba.stop())

const run = (script: string, options?: CommandOptions): Task =>
  simba.election('ingest').runWhileLeader(api.command('sh', ['-c', script], options))
const completed = () => events.flatMap((event) => (event.type === 'work.completed' ? [event] : []))
const isCompleted = () => until('the command has ended', () => completed().length > 0)
const printed = (level: 'info' | 'warn') => log.of(level).map(({ message }) => message)
const prints = (line: string) =>
  until(`the command prints ${line}`, () => log.lines.some(({ message }) => message === line))

describe('a command', () => {
  test('finds its term in its environment', async () => {
    const task = run(
      `env | grep -E '^SIMBA_(LEASE|NODE|PARTITION|REMAINING|TERM|TOKEN)' | sort; echo so far; exec sleep 1000`,
    )
    await prints('so far')
    const found = printed('info').filter((line) => line.startsWith('SIMBA_'))
    expect(found.filter((line) => !line.startsWith('SIMBA_REMAINING_MS'))).toEqual([
      'SIMBA_LEASE=ingest',
      'SIMBA_NODE=north',
      `SIMBA_TERM=ingest/${task.term!.token}`,
      `SIMBA_TOKEN=${task.term!.token}`,
    ])
    const remaining = Number(found.find((line) => line.startsWith('SIMBA_REMAINING_MS'))?.split('=')[1])
    expect(remaining).toBeGreaterThan(0)
    expect(remaining).toBeLessThan(LEASE_MS)
    expect(log.of('info').find(({ message }) => message === 'SIMBA_LEASE=ingest')?.details).toEqual({
      lease: 'ingest',
      token: task.term!.token,
      stream: 'stdout',
    })
  })

  test('finds its partition there, and what was added; its folder is the one that was given', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'simba-command-')))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    process.env.SIMBA_PARTITION = 'of somebody else'
    onTestFinished(() => void delete process.env.SIMBA_PARTITION)
    const script = 'echo "$SIMBA_PARTITION $COLOUR $(pwd)"'
    const options: CommandOptions = { cwd: pathToFileURL(folder), env: { COLOUR: 'red', SIMBA_LEASE: 'other' } }
    simba
      .group('g', { partitions: 2 })
      .runWhileLeader(api.command('sh', ['-c', `${script}; echo "$SIMBA_LEASE"`], options))
    await Promise.all([0, 1].map((partition) => prints(`${partition} red ${folder}`)))
    // What says which term it is cannot be overruled.
    await prints('g.1')
    run('echo "none: $SIMBA_PARTITION."')
    await prints('none: .')
  })

  test('prints to the log, line by line: what goes to standard errors as warnings', async () => {
    run('echo out; echo err >&2; printf "no end"; exit 3')
    await isCompleted()
    expect(printed('info')).toEqual(expect.arrayContaining(['out', 'no end']))
    expect(printed('warn')).toContain('err')
    expect(completed()).toMatchObject([
      {
        outcome: 'FAILED',
        error: { code: 'COMMAND_FAILED', message: "The command 'sh' of 'ingest' ended with exit code 3." },
      },
    ])
  })

  test('prints to a function, which it waits for; one that fails harms nobody', async () => {
    const lines: OutputLine[] = []
    const output = async (line: OutputLine) => {
      lines.push(line)
      if (line.line === '1') throw new Error('no')
      await sleep(50)
    }
    const task = run('for i in 1 2 3; do echo $i; done; echo last >&2; exec sleep 1000', { output })
    await until('all is printed', () => lines.length === 4)
    const { token } = task.term!
    expect(lines.filter(({ stream }) => stream === 'stdout')).toEqual(
      ['1', '2', '3'].map((line) => ({ stream: 'stdout', line, lease: 'ingest', token })),
    )
    expect(log.of('error').map(({ message }) => message)).toEqual(['Whoever takes the output of a command has failed.'])
  })

  test('has all of its lines taken, however long that takes after its end', async () => {
    const lines: string[] = []
    const output = async ({ line }: OutputLine) => {
      await sleep(30)
      lines.push(line)
    }
    run('for i in $(seq 60); do echo $i; done', { output })
    await isCompleted()
    expect(lines).toEqual(Array.from({ length: 60 }, (_, index) => `${index + 1}`))
  })

  test('is over when it has ended, though somebody beyond its group still has its output open', async () => {
    run('setsid sleep 20 & echo "$!"; sleep 1')
    await isCompleted()
    expect(completed()).toMatchObject([{ outcome: 'COMPLETED' }])
    const [pid] = printed('info')
    expect(isRunning(Number(pid))).toBe(true)
    process.kill(Number(pid))
  })

  test('prints nothing where that is not wanted, and reads nothing', async () => {
    run('echo out; echo err >&2; cat; exit 0', { output: 'ignore' })
    await isCompleted()
    expect(completed()).toMatchObject([{ outcome: 'COMPLETED' }])
    expect(log.lines.filter(({ message }) => /^(out|err)$/.test(message))).toEqual([])
  })

  test('has its three streams, and nothing of ours besides', async () => {
    const ours = 'for fd in 3 4 5 6; do [ -e /proc/$$/fd/$fd ] && echo "open: $fd"; done'
    run(`readlink /proc/$$/fd/0; ${ours}; echo "no more"`)
    await isCompleted()
    expect(printed('info')).toEqual(['/dev/null', 'no more'])
  })

  test('that cannot be started is fatal work, and says why', async () => {
    simba.election('ingest').runWhileLeader(api.command('pyhton3', ['ingest.py']))
    await isCompleted()
    expect(completed()).toMatchObject([
      {
        outcome: 'FAILED',
        error: {
          code: 'FATAL_WORK',
          message:
            "The command 'pyhton3' of 'ingest' cannot be started: there is no such program. Check its spelling, and PATH.",
        },
      },
    ])
    expect(events.some(({ type }) => type === 'election.stepped-down')).toBe(true)
  })

  test('whose folder is not there is told so, and not that the program is missing', async () => {
    run('true', { cwd: '/nowhere/at/all' })
    await isCompleted()
    expect(completed()[0]?.error?.message).toContain('there is no folder /nowhere/at/all.')
  })

  test('with more arguments than the system takes is fatal work as well', async () => {
    simba.election('ingest').runWhileLeader(api.command('true', ['x'.repeat(3_000_000)]))
    await isCompleted()
    expect(completed()[0]?.error).toMatchObject({ code: 'FATAL_WORK', message: expect.stringContaining('E2BIG') })
  })

  /** A command that runs, with its guard, which has told of it and has nothing to do. */
  async function running(
    script: string,
  ): Promise<{ readonly task: Task; readonly pid: number; readonly guard: number }> {
    const task = run(`echo "pid $$"; ${script}`)
    const words = () => printed('info').find((line) => line.startsWith('pid '))
    await until('the command runs', words)
    const pid = Number(words()!.slice(4))
    const guard = statOf(pid).parent
    expect(guard).not.toBe(process.pid)
    await until('the guard sleeps', () => statOf(guard).state === 'S')
    return { task, pid, guard }
  }

  test('is ended when its guard is killed, and the run has failed', async () => {
    const { pid, guard } = await running('exec sleep 1000')
    process.kill(guard, 'SIGKILL')
    await isCompleted()
    expect(completed()).toMatchObject([
      { outcome: 'FAILED', error: { message: 'The guard of the command has died, and the command with it.' } },
    ])
    expect(isRunning(pid)).toBe(false)
  })

  test('is ended in time, though its guard is stopped', async () => {
    const { task, pid, guard } = await running('trap "" TERM; while :; do sleep 0.05; done')
    process.kill(guard, 'SIGSTOP')
    const stopped = task.stop()
    try {
      await until('it is gone', () => !isRunning(pid))
    } finally {
      process.kill(guard, 'SIGCONT')
    }
    await stopped
    expect(completed()).toMatchObject([{ outcome: 'CANCELLED', error: { code: 'WORK_KILLED' } }])
  })

  test('that is over before it has begun is not begun', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'simba-command-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const task = run(`touch ${folder}/begun`)
    await until('it leads', () => task.term !== undefined)
    await task.stop()
    expect(existsSync(join(folder, 'begun'))).toBe(false)
    expect(completed()).toMatchObject([{ outcome: 'CANCELLED' }])
  })
})

describe('the guard of a command', () => {
  const start = { file: 'sh', args: ['-c', 'echo started'], env: process.env }
  const inMs = (ms: number) => sharedDeadline(() => ms)

  /** What it says when it is told all of this at once, by a client that is busy with something else then. */
  async function guarded(...messages: readonly ToGuard[]): Promise<readonly FromGuard[]> {
    const guard = spawn(process.execPath, [join(built(), 'dist/runtime/executors/command/guard.js')], {
      stdio: ['pipe', 'pipe', 'inherit', 'pipe', 'pipe', 'pipe'],
    })
    guard.stdin!.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''))
    let text = ''
    guard.stdout!.on('data', (data) => {
      text += data
    })
    await once(guard, 'close')
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  }

  test('starts it though it was late itself, where the term was extended meanwhile', async () => {
    const said = await guarded(
      { kind: 'run', deadline: inMs(-1), ...start },
      { kind: 'extend', deadline: inMs(60_000) },
    )
    expect(said).toMatchObject([{ kind: 'started' }, { kind: 'gone', exitCode: 0 }])
  })

  test.each<readonly [string, readonly ToGuard[]]>([
    ['is over', []],
    ['was told to end', [{ kind: 'interrupt', deadline: inMs(60_000) }]],
    ['was ended at once', [{ kind: 'extend', deadline: inMs(60_000) }, { kind: 'kill' }]],
  ])('does not start it where the term %s', async (_, then) => {
    const said = await guarded({ kind: 'run', deadline: inMs(-1), ...start }, ...then)
    expect(said).toEqual([{ kind: 'gone', exitCode: null, signal: null }])
  })
})

test('what is not allowed is refused when it is declared', () => {
  const refused = (...args: readonly unknown[]) => {
    try {
      ;(api.command as (...all: readonly unknown[]) => unknown)(...args)
    } catch (error) {
      return (error as Error & { code: string }).code === 'INVALID_OPTION' ? (error as Error).message : String(error)
    }
    return 'accepted'
  }
  expect(refused('')).toContain('The program of command() is ""')
  expect(refused('sh', 'args')).toContain('The arguments of command() is "args"')
  expect(refused('sh', ['a\0b'])).toContain('a list of texts')
  expect(refused('sh', [], { cwd: 5 })).toContain('cwd is 5; allowed is a folder.')
  expect(refused('sh', [], { env: { A: 1 } })).toContain('allowed is an object of texts')
  expect(refused('sh', [], { output: 'loud' })).toContain(
    "output is \"loud\"; allowed is 'log', 'inherit', 'ignore' or a function",
  )
  expect(refused('sh', [], { stdin: 'pipe' })).toContain("allowed is 'ignore' or 'inherit'")
  expect(refused('sh', [], { folder: '/' })).toContain("no option 'folder'")
  expect(refused('sh', ['-c', 'true'], { env: {}, output: () => {} })).toBe('accepted')
})
