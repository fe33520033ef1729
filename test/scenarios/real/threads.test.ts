/** Leader work in real threads: exact in time, ended by force in time, and nothing left of it; the process lives on whatever they do. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { BroadcastChannel } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  createSimba,
  fixedDelay,
  type Simba,
  type SimbaEvent,
  type WorkerThreadOptions,
  workerThread,
} from '../../../src/index.ts'
import { LogBook } from '../../support/log-book.ts'
import { until } from '../../support/simba-process.ts'
import { machineMs } from './orders.ts'

const WORK = new URL('./thread-work.ts', import.meta.url)
const LEASE_MS = 3_000

interface Said {
  readonly what: string
  readonly threadId: number
  readonly atMs: number
  readonly [fact: string]: unknown
}

let simba: Simba
let log: LogBook
let events: SimbaEvent[]
let said: Said[]
let channel: BroadcastChannel

beforeEach(() => {
  log = new LogBook()
  events = []
  said = []
  channel = new BroadcastChannel('thread-work')
  channel.onmessage = (message) => void said.push((message as { data: Said }).data)
  simba = createSimba({ backend: 'memory:', leaseDuration: LEASE_MS, logger: log })
  simba.on('*', (event) => events.push(event))
  simba.send({ type: 'START' })
})
afterEach(async () => {
  await simba.stop()
  channel.close()
})

const threadOf = (name: string, options: WorkerThreadOptions = {}) => workerThread(WORK, { export: name, ...options })
const run = (name: string, options?: WorkerThreadOptions) =>
  simba.election('ingest').runWhileLeader(threadOf(name, options))
const of = (what: string) => said.filter((words) => words.what === what)
const hears = (what: string, times = 1) => until(`the thread says '${what}'`, () => of(what).length >= times)
const completed = () => events.flatMap((event) => (event.type === 'work.completed' ? [event] : []))
const isCompleted = (times = 1) => until('the work is completed', () => completed().length >= times)

describe('a function in a thread', () => {
  test('gets its term, and is told of its end with the time that is left; the lease is released when it has left', async () => {
    const task = simba.election('ingest').runWhileLeader(workerThread(WORK))
    await hears('begins')
    const { token } = task.term!
    expect(of('begins')[0]).toMatchObject({ lease: 'ingest', token, isValid: true })
    expect(of('begins')[0]!.partition).toBeUndefined()
    // For longer than the lease, since it is renewed there as well.
    await sleep(LEASE_MS + 500)
    expect(of('told')).toEqual([])
    await task.stop()
    const [told] = of('told')
    expect(told).toMatchObject({ reason: 'stopped', isValid: false, aborted: true })
    expect(told!.remainingMs).toBeGreaterThan(0)
    expect(told!.remainingMs).toBeLessThan(LEASE_MS)
    expect(completed()).toMatchObject([{ outcome: 'COMPLETED' }])
    expect(events.map(({ type }) => type).slice(-5)).toEqual([
      'term.revoked',
      'handover.started',
      'work.completed',
      'term.ended',
      'handover.completed',
    ])
  })

  test('gets its partition', async () => {
    const group = simba.group('g', { partitions: 2 }).runWhileLeader(workerThread(fileURLToPath(WORK)))
    await hears('begins', 2)
    expect(
      of('begins')
        .map(({ partition, of: same }) => [partition, same])
        .toSorted(),
    ).toEqual([
      [0, 0],
      [1, 1],
    ])
    await group.stop()
  })

  test('has a thread of its own for each run, and nothing of that is left', async () => {
    const task = simba.election('ingest').schedule(fixedDelay('50ms'), threadOf('once'))
    await hears('begins', 3)
    await task.stop()
    const threads = of('begins').map(({ threadId }) => threadId)
    expect(new Set(threads).size).toBe(threads.length)
    expect(of('begins').map(({ runs }) => runs)).toEqual(threads.map(() => 1))
    const count = said.length
    await sleep(200)
    expect(said.length).toBe(count)
  })

  test('fails as itself: with name, message, code and stack', async () => {
    const judged: unknown[] = []
    const isFatal = (error: unknown) => judged.push(error) < 0
    const other = createSimba({ backend: 'memory:', logger: log, isFatal })
    onTestFinished(() => other.stop())
    other.send({ type: 'START' })
    other.election('ingest').runWhileLeader(threadOf('fails'))
    await until('the error is here', () => judged.length > 0)
    expect(judged[0]).toMatchObject({ name: 'RangeError', message: 'no such page', code: 'E_PAGE' })
    expect((judged[0] as Error).stack).toContain('thread-work.ts')
  })

  test('sees its time run out while this thread is blocked, at the very deadline', async () => {
    const task = run('asking')
    await hears('begins')
    const deadlineMs = machineMs() + task.term!.remainingMs
    // No event of any kind gets through here meanwhile.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LEASE_MS + 1_000)
    const unblockedMs = machineMs()
    await hears('out of time')
    const [words] = of('out of time')
    expect(words).toMatchObject({ aborted: true, reason: 'expired' })
    expect(words!.atMs).toBeGreaterThanOrEqual(deadlineMs)
    expect(words!.atMs).toBeLessThan(unblockedMs)
  })
})

describe('a thread that ends in a bad way is fatal work, and the process lives on', () => {
  test.each([
    [
      'an uncaught error',
      'crashes',
      {},
      { code: 'FATAL_WORK', message: "The thread with the work of 'ingest' has crashed: from a timer" },
    ],
    ['an end by itself', 'exits', {}, { code: 'FATAL_WORK', message: expect.stringContaining('ended with code 7') }],
    [
      'no memory left',
      'devours',
      { resourceLimits: { maxOldGenerationSizeMb: 24 } },
      { code: 'ERR_WORKER_OUT_OF_MEMORY' },
    ],
    ['a FatalWorkError', 'gives', {}, { name: 'FatalWorkError', code: 'FATAL_WORK', message: 'the disk is full' }],
    [
      'no function of that name',
      'nothing',
      {},
      {
        code: 'FATAL_WORK',
        message: expect.stringMatching(/no function 'nothing' to run; it exports the functions .*polite|default/),
      },
    ],
    [
      'something else of that name',
      'notAFunction',
      {},
      { code: 'FATAL_WORK', message: expect.stringContaining("no function 'notAFunction'") },
    ],
  ])('%s', async (_, name, options, error) => {
    const task = run(name, options)
    await isCompleted()
    expect(completed()[0]).toMatchObject({ outcome: 'FAILED', error })
    expect(events).toContainEqual({ type: 'election.stepped-down', lease: 'ingest', restMs: LEASE_MS })
    expect(task.term).toBeUndefined()
    await task.stop()
  })

  test('a module that cannot be loaded', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'simba-threads-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const broken = join(folder, 'broken.mjs')
    writeFileSync(broken, "import './nothing-like-this.mjs'\nexport default function run() {}\n")
    simba.election('ingest').runWhileLeader(workerThread(broken))
    await isCompleted()
    expect(completed()[0]).toMatchObject({
      outcome: 'FAILED',
      error: {
        code: 'FATAL_WORK',
        message: expect.stringMatching(/broken\.mjs cannot be loaded: .*nothing-like-this/),
      },
    })
  })
})

test('what is no file is refused when it is declared', () => {
  const refused = (module: unknown, options: unknown = {}) => {
    try {
      workerThread(module as URL, options as WorkerThreadOptions)
    } catch (error) {
      return (error as Error & { code: string }).code === 'INVALID_OPTION' ? (error as Error).message : String(error)
    }
    return 'accepted'
  }
  expect(refused(pathToFileURL('/nowhere/ingest.js'))).toContain(
    'is "/nowhere/ingest.js"; allowed is a file that is there',
  )
  expect(refused('./ingest.js')).toContain("new URL('./work.js', import.meta.url)")
  expect(refused(new URL('https://host/ingest.js'))).toContain("new URL('./work.js', import.meta.url)")
  expect(refused(5)).toContain('is 5')
  expect(refused(WORK, { exports: 'run' })).toContain("no option 'exports'")
  expect(refused(WORK, { export: '' })).toContain('allowed is the name of a function')
  expect(refused(WORK, { execArgv: '--import tsx' })).toContain('allowed is a list of options of Node')
  expect(refused(WORK.href)).toBe('accepted')
})

describe('a thread that never gives the event loop a turn, in one of two processes', () => {
  const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'simba-threads-'))
    writeFileSync(join(folder, 'writes'), '')
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  })

  interface Node {
    readonly process: ChildProcess
    readonly events: readonly SimbaEvent[]
  }

  function start(node: string): Node {
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', fileURLToPath(new URL('./thread-node.ts', import.meta.url))],
      {
        cwd: ROOT,
        env: {
          ...process.env,
          THREAD_BACKEND: `sqlite:${join(folder, 'leases.db')}`,
          THREAD_NODE: node,
          THREAD_FILE: join(folder, 'writes'),
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    onTestFinished(() => void child.kill('SIGKILL'))
    const seen: SimbaEvent[] = []
    let rest = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\n')
      rest = lines.pop()!
      seen.push(...lines.map((line) => JSON.parse(line)))
    })
    return { process: child, events: seen }
  }

  const writes = () =>
    readFileSync(join(folder, 'writes'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [node, token, atMs, isValid] = line.split(' ')
        return { node, token: Number(token), atMs: Number(atMs), isValid: isValid === 'true' }
      })

  test('renewals go on; at the deadline it is ended; the next leader writes after its last write', async () => {
    const one = start('one')
    await until('one writes', () => writes().length > 0)
    const two = start('two')
    await until('two has a session', () => two.events.some(({ type }) => type === 'session.opened'))
    // Longer than a lease: were it not renewed, it would be lost.
    await sleep(LEASE_MS + 1_000)
    expect(one.events.filter(({ type }) => /suspended|lost|ended/.test(type))).toEqual([])
    one.process.kill('SIGTERM')
    await until('two writes', () => writes().some(({ node }) => node === 'two'))
    const [code] = one.process.exitCode === null ? await once(one.process, 'exit') : [one.process.exitCode]
    expect(code).toBe(0)

    const all = writes()
    const nodes = all.map(({ node }) => node)
    expect(nodes.lastIndexOf('one')).toBeLessThan(nodes.indexOf('two'))
    expect(all.findLast(({ node }) => node === 'one')!.isValid).toBe(false)
    expect(all.find(({ node }) => node === 'two')!.token).toBeGreaterThan(all[0]!.token)
    expect(one.events).toContainEqual(
      expect.objectContaining({
        type: 'work.completed',
        outcome: 'CANCELLED',
        error: expect.objectContaining({ code: 'WORK_KILLED' }),
      }),
    )
    const order = one.events.map(({ type }) => type)
    expect(order.indexOf('work.completed')).toBeLessThan(order.indexOf('handover.completed'))
  })
})
