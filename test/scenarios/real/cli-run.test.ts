/** `simba run`, the real one: what becomes of a command when anything around it is stopped, killed or gone. */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { builtPackage } from '../../support/built-package.ts'
import { isRunning, residentMegabytes } from '../../support/processes.ts'
import { RedisServer } from '../../support/redis-server.ts'
import { freePort } from '../../support/server-process.ts'
import { SimbaProcess, type StartOptions, until } from '../../support/simba-process.ts'
import { isRedisMissing } from './stage.ts'
import { POLITE, STUBBORN, Story } from './story.ts'

const LEASE_MS = 3_000
const LEASE = ['--lease-duration', `${LEASE_MS}ms`]

const built = builtPackage()

function simba(words: readonly string[], options?: StartOptions): SimbaProcess {
  return new SimbaProcess(built(), words, options)
}

function run(story: Story, node: string, script: string, options: StartOptions = {}): SimbaProcess {
  const words = ['run', 'ingest', '--node', node, ...LEASE, '--', 'sh', '-c', script]
  return simba(words, { ...options, env: { ...story.env, ...options.env } })
}

/** A command that does not listen runs, and the next one waits. */
async function stubbornAndPolite(): Promise<{ readonly story: Story; readonly one: SimbaProcess }> {
  const story = new Story()
  const one = run(story, 'one', STUBBORN)
  await story.has('one', 'writes')
  const two = run(story, 'two', POLITE)
  await two.says(/held by one/)
  return { story, one }
}

describe('a command runs while its node leads', () => {
  test('and when simba is told to stop, it leaves before the next one begins', async () => {
    const story = new Story()
    const one = run(story, 'one', POLITE)
    await story.has('one', 'begins')
    const two = run(story, 'two', POLITE)
    await two.says(/waits: 'ingest' is held by one/)
    one.signal('SIGTERM')
    expect(await one.end()).toEqual({ code: 0, signal: null })
    await story.has('two', 'begins')
    two.signal('SIGINT')
    expect(await two.end()).toEqual({ code: 0, signal: null })
    expect(story.plot).toEqual(['one begins', 'one leaves', 'two begins', 'two leaves'])
    const tokens = story.lines.filter(({ what }) => what === 'begins').map(({ rest }) => Number(rest[0]))
    expect(tokens[1]).toBeGreaterThan(tokens[0]!)
    expect(one.stderr).toMatch(
      /leads 'ingest' with token \d+\n.*hands 'ingest' over: the command has \d+ ms to leave\n.*leads 'ingest' no more: stopped as asked/s,
    )
  })

  test('and when simba is killed, the command is told, and is gone before the next one begins', async () => {
    const story = new Story()
    const one = run(story, 'one', POLITE)
    await story.has('one', 'begins')
    const two = run(story, 'two', POLITE)
    await two.says(/held by one/)
    one.signal('SIGKILL')
    await story.has('two', 'begins')
    expect(story.plot).toEqual(['one begins', 'one leaves', 'two begins'])
  })

  test('and when simba is killed, a command that ignores that is killed in time, with all of its children', async () => {
    const { story, one } = await stubbornAndPolite()
    one.signal('SIGKILL')
    await story.has('two', 'begins')
    expectNoneOf(story, 'one')
    expectNothingAfter(story, 'one', 'two')
  })

  test('and when simba is stopped for longer than its lease, the command is ended without it', async () => {
    const { story, one } = await stubbornAndPolite()
    one.signal('SIGSTOP')
    await story.has('two', 'begins')
    expectNoneOf(story, 'one')
    expectNothingAfter(story, 'one', 'two')
    one.signal('SIGCONT')
    // Its term is over, and it stands in line like anybody else.
    await one.says(/leads 'ingest' no more/)
    await one.says(/waits: 'ingest' is held by two/)
    await sleep(LEASE_MS)
    expect(story.of('one', 'begins')).toHaveLength(1)
    one.signal('SIGTERM')
    expect(await one.end()).toEqual({ code: 0, signal: null })
  })
})

/** Every process of the node that the story knows of is gone. */
function expectNoneOf(story: Story, node: string): void {
  const pids = new Set(story.lines.filter((line) => line.node === node).map(({ pid }) => pid))
  expect(pids.size).toBeGreaterThanOrEqual(1)
  expect([...pids].filter(isRunning)).toEqual([])
}

/** The former leader's last line is before the first one of the next. */
function expectNothingAfter(story: Story, former: string, next: string): void {
  const lines = story.lines.map(({ node }) => node)
  expect(lines.lastIndexOf(former)).toBeLessThan(lines.indexOf(next))
}

describe('a command that ignores the interrupt', () => {
  test('is killed with its children at the deadline, and simba says so by its exit code', async () => {
    const story = new Story()
    const one = run(story, 'one', STUBBORN)
    await story.has('one', 'writes')
    await story.has('one', 'grandchild')
    const pids = ['begins', 'child', 'grandchild'].flatMap((what) => story.of('one', what).map(({ pid }) => pid))
    expect(pids).toHaveLength(4)
    expect(pids.filter(isRunning)).toEqual(pids)
    one.signal('SIGTERM')
    await sleep(200)
    one.signal('SIGINT')
    await one.says(/Still waits for the work of 'ingest' to exit \(token \d+, at most \d+ ms more\)/)
    expect(await one.end()).toEqual({ code: 137, signal: null })
    expect(pids.filter(isRunning)).toEqual([])
  })

  test('ends at once with the third signal, and simba with it', async () => {
    const story = new Story()
    const words = ['run', 'ingest', '--node', 'one', '--lease-duration', '1h', '--', 'sh', '-c', STUBBORN]
    const one = simba(words, { env: story.env })
    await story.has('one', 'writes')
    for (const signal of ['SIGTERM', 'SIGTERM', 'SIGTERM'] as const) {
      one.signal(signal)
      await sleep(300)
    }
    expect(await one.end()).toEqual({ code: 143, signal: null })
    const pids = story.lines.map(({ pid }) => pid)
    await until('the command is gone', () => !pids.some(isRunning))
  })
})

describe('the exit code says how it ended', () => {
  test.each([
    ['with the code of a command that has failed', 'exit 3', 3],
    ['with 0 for one that has succeeded', 'exit 0', 0],
    ['with 128 and the number of the signal', 'kill -SEGV $$', 139],
  ])('%s', async (_, script, code) => {
    const story = new Story()
    const one = run(story, 'one', script)
    expect(await one.end()).toEqual({ code, signal: null })
    expect(one.stderr).not.toContain('to leave')
    const status = simba(['status', 'ingest'], { env: story.env })
    expect(await status.end()).toEqual({ code: 1, signal: null })
    expect(status.stdout).toMatch(/ingest +\(nobody\)/)
  })

  test('with 127 for a command that is not there, and with 126 for one that cannot be executed', async () => {
    const story = new Story()
    const missing = simba(['run', 'ingest', '--', 'pyhton3', 'ingest.py'], { env: story.env })
    expect(await missing.end()).toEqual({ code: 127, signal: null })
    expect(missing.stderr).toContain("The command 'pyhton3' of 'ingest' cannot be started: there is no such program.")
    const text = join(story.folder, 'notes.txt')
    writeFileSync(text, 'no program')
    chmodSync(text, 0o644)
    const notes = simba(['run', 'ingest', '--', text], { env: story.env })
    expect(await notes.end()).toEqual({ code: 126, signal: null })
    expect(notes.stderr).toContain('it may not be executed by this user')
  })

  test('with 64 for what makes no sense, and a message that says what', async () => {
    const senseless: readonly (readonly [readonly string[], RegExp])[] = [
      [['run', 'x', '--backend', 'mysql://host', '--', 'true'], /--backend is a URL that begins with 'mysql:'/],
      [['run', 'x', '--lease-duration', '15', '--', 'true'], /--lease-duration is "15"/],
      [['run', 'a b', '--', 'true'], /The name of the election is "a b"/],
      [['run', 'x'], /missing required argument 'command'/],
      [['run', 'x', 'sh', '-c', 'true'], /go behind --: simba run NAME -- COMMAND/],
      [['elect', 'x'], /unknown command 'elect'/],
      [['schedule', 'x', '--', 'true'], /give --fixed-rate or --fixed-delay/],
      [['group', 'x', '--partitions', '0', '--', 'true'], /Allowed is a whole number from 1 to 65536/],
      [['lock', 'x', '--timeout', 'soon', '--', 'true'], /--timeout is "soon"/],
      [['status', 'a b'], /NAME is "a b"/],
      [[], /Usage: simba/],
    ]
    const all = senseless.map(([words]) => simba(words))
    for (const [index, one] of all.entries()) {
      expect(await one.end()).toEqual({ code: 64, signal: null })
      expect(one.stderr).toMatch(senseless[index]![1])
    }
  })

  test.each(['redis', 'zookeeper'])(
    'with 69 for a %s that is not there, within the time that was given',
    async (store) => {
      const url = `${store}://user:secret@127.0.0.1:${await freePort()}`
      const one = simba(['run', 'x', '--backend', url, '--connect-timeout', '5s', '--', 'true'])
      expect(await one.end()).toEqual({ code: 69, signal: null })
      expect(one.stderr).toMatch(/the store was not reached: .*ECONNREFUSED/)
      expect(one.stderr.match(/The store fails/g)).toHaveLength(1)
      expect(one.stderr).not.toContain('secret')
    },
  )

  test('with 69 for a file that cannot be one, and for one of somebody else', async () => {
    const story = new Story()
    const file = join(story.folder, 'other.db')
    writeFileSync(
      file,
      'something else, and more than a hundred bytes of it, so that nobody takes it for an empty database: ok',
    )
    const foreign = simba(['run', 'x', '--backend', `sqlite:${file}`, '--', 'true'])
    expect(await foreign.end()).toEqual({ code: 69, signal: null })
    expect(foreign.stderr).toContain('is not an SQLite database')
    const below = simba(['lock', 'x', '--backend', `sqlite:${file}/leases.db`, '--connect-timeout', '1s', '--', 'true'])
    expect(await below.end()).toEqual({ code: 69, signal: null })
  })

  test('with 0 when it is stopped while it waits for its turn', async () => {
    const story = new Story()
    run(story, 'one', POLITE)
    await story.has('one', 'begins')
    const two = run(story, 'two', POLITE)
    await two.says(/held by one/)
    two.signal('SIGHUP')
    expect(await two.end()).toEqual({ code: 0, signal: null })
    expect(story.of('two', 'begins')).toEqual([])
  })
})

describe('a command that floods its output', () => {
  test('waits for whoever reads it, and simba goes on renewing', async () => {
    const story = new Story()
    const one = run(story, 'one', `echo "one begins $$" >> "$STORY"; exec yes 'a line of output'`, { isUnread: true })
    await story.has('one', 'begins')
    await sleep(3 * LEASE_MS)
    expect(one.stderr).not.toMatch(/leads 'ingest' no more/)
    expect(residentMegabytes(one.pid)).toBeLessThan(200)
    one.read()
    await one.says(/a line of output/, 10_000)
    one.signal('SIGTERM')
    expect(await one.end()).toEqual({ code: 0, signal: null })
  })
})

describe.skipIf(isRedisMissing)('a store that goes away', () => {
  test('ends the command in time; when it is back, the command is started again under a greater token', async () => {
    const story = new Story()
    const server = await RedisServer.start()
    try {
      const one = run(story, 'one', STUBBORN, { env: { SIMBA_BACKEND: server.url } })
      await story.has('one', 'writes')
      await server.kill()
      await one.says(/The store fails/)
      await one.says(/leads 'ingest' no more: the lease could not be renewed in time/)
      expectNoneOf(story, 'one')
      await server.start()
      const again = await story.has('one', 'begins', 2)
      expect(Number(again.rest[0])).toBeGreaterThan(Number(story.of('one', 'begins')[0]!.rest[0]))
      one.signal('SIGTERM')
      expect(await one.end()).toEqual({ code: 137, signal: null })
      expectNoneOf(story, 'one')
    } finally {
      await server.dispose()
    }
  })
})
