/** `simba lock`, as somebody who knows flock expects it, and what flock cannot do. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { builtPackage } from '../../support/built-package.ts'
import { isRunning, statOf } from '../../support/processes.ts'
import { RedisServer } from '../../support/redis-server.ts'
import { SimbaProcess, type StartOptions, until } from '../../support/simba-process.ts'
import { isRedisMissing } from './stage.ts'
import { POLITE, STUBBORN, Story } from './story.ts'

const built = builtPackage()

function lock(story: Story, words: readonly string[], options: StartOptions = {}): SimbaProcess {
  return new SimbaProcess(built(), ['lock', 'deploy', ...words], { ...options, env: { ...story.env, ...options.env } })
}

const holding = async (story: Story, script = POLITE) => {
  const holder = lock(story, ['--node', 'holder', '--lease-duration', '3s', '--', 'sh', '-c', script])
  await story.has('holder', 'begins')
  return holder
}

describe('a lock', () => {
  test('is held by one at a time, however many want it', async () => {
    const story = new Story()
    const section = `echo "$SIMBA_NODE enters $$" >> "$STORY"; sleep 0.2; echo "$SIMBA_NODE exits $$" >> "$STORY"`
    const all = ['a', 'b', 'c', 'd'].map((node) => lock(story, ['--node', node, '--', 'sh', '-c', section]))
    for (const one of all) expect(await one.end()).toEqual({ code: 0, signal: null })
    const nodes = story.lines.map(({ node }) => node)
    expect(story.lines.map(({ what }) => what)).toEqual(Array.from({ length: 4 }, () => ['enters', 'exits']).flat())
    expect(nodes.filter((_, index) => index % 2 === 0)).toEqual(nodes.filter((_, index) => index % 2 === 1))
    expect(new Set(nodes).size).toBe(4)
  })

  test('gives the command standard input and output, and adds nothing to them', async () => {
    const story = new Story()
    const script = 'cat; printf "%s" "$SIMBA_LEASE" >&2; exit 9'
    const one = lock(story, ['--', 'sh', '-c', script], { input: 'what comes in\n' })
    expect(await one.end()).toEqual({ code: 9, signal: null })
    expect([one.stdout, one.stderr]).toEqual(['what comes in\n', 'deploy'])
  })

  test('that is not to be had in time ends with 75, or with the code that was given, and says who has it', async () => {
    const story = new Story()
    await holding(story)
    const patient = lock(story, ['--timeout', '2500ms', '--', 'true'])
    const busy = lock(story, ['--nonblock', '--', 'true'])
    const other = lock(story, ['-n', '-E', '0', '--', 'true'])
    expect(await busy.end()).toEqual({ code: 75, signal: null })
    expect(await other.end()).toEqual({ code: 0, signal: null })
    expect(await patient.end()).toEqual({ code: 75, signal: null })
    expect(patient.stderr).toContain("waits: 'deploy' is held by holder")
    expect(patient.stderr).toContain("the lock 'deploy' was not to be had within 2500 ms")
  })

  test('that is free is had by whoever does not want to wait', async () => {
    const one = lock(new Story(), ['--nonblock', '--', 'sh', '-c', 'exit 4'])
    expect(await one.end()).toEqual({ code: 4, signal: null })
  })

  test('is free again when simba is interrupted: waiting, and with the command running', async () => {
    const story = new Story()
    const holder = await holding(story)
    const waiting = lock(story, ['--node', 'next', '--', 'true'])
    await waiting.says(/held by holder/)
    waiting.signal('SIGINT')
    expect(await waiting.end()).toEqual({ code: 130, signal: null })
    holder.signal('SIGTERM')
    expect(await holder.end()).toEqual({ code: 0, signal: null })
    await story.has('holder', 'leaves')
    const after = lock(story, ['--nonblock', '--', 'true'])
    expect(await after.end()).toEqual({ code: 0, signal: null })
  })

  test('ends with the signal of a command that does not catch it', async () => {
    const story = new Story()
    const one = await holding(story, 'echo "holder begins $$" >> "$STORY"; exec sleep 1000')
    one.signal('SIGTERM')
    expect(await one.end()).toEqual({ code: 143, signal: null })
  })

  test('takes along what the command has left behind', async () => {
    const story = new Story()
    const script =
      'sleep 1000 & echo "holder begins $!" >> "$STORY"; (trap "" TERM; exec sleep 1000) & echo "holder begins $!" >> "$STORY"'
    const one = await holding(story, script)
    expect(await one.end()).toEqual({ code: 0, signal: null })
    expect(story.of('holder', 'begins').filter(({ pid }) => isRunning(pid))).toEqual([])
  })
})

describe.skipIf(isRedisMissing)('a lock that is lost', () => {
  test('ends the command, and simba with 76', async () => {
    const story = new Story()
    const server = await RedisServer.start()
    try {
      const words = ['--node', 'one', '--lease-duration', '3s', '--', 'sh', '-c', STUBBORN]
      const one = lock(story, words, { env: { SIMBA_BACKEND: server.url } })
      await story.has('one', 'writes')
      server.freeze()
      await until('the command is gone', () => !story.lines.some(({ pid }) => isRunning(pid)))
      await one.says(/the lock was lost while the command was running: the lease could not be renewed in time/)
      server.thaw()
      expect(await one.end()).toEqual({ code: 76, signal: null })
    } finally {
      await server.dispose()
    }
  })

  // Nobody but the guard hears of the command's end: while it stands still, the command is not gone for simba.
  test.skipIf(process.platform !== 'linux')(
    'is not taken again by the same simba before its command is gone, however long that takes',
    async () => {
      const story = new Story()
      const server = await RedisServer.start()
      const env = { ...story.env, SIMBA_BACKEND: server.url }
      const words = ['--verbose', '--node', 'one', '--lease-duration', '3s', '--', 'sh', '-c', STUBBORN]
      const one = lock(story, words, { env })
      const { pid, rest } = await story.has('one', 'begins')
      const guard = statOf(pid).parent
      onTestFinished(() => void (isRunning(guard) && process.kill(guard, 'SIGKILL')))
      const holders = async () => {
        const status = new SimbaProcess(built(), ['status', '--json'], { env })
        expect(await status.end()).toEqual({ code: 0, signal: null })
        return JSON.parse(status.stdout).leases
      }
      try {
        process.kill(guard, 'SIGSTOP')
        server.freeze()
        await one.says(/its work is still there: it is ended by force/)
        server.thaw()
        await one.says(/The store answers again/)
        expect(await holders()).toEqual([])
        // Half the wait is within the time for which a term waits for its work to be gone, and half of it after that.
        await one.says(/Leader work has ignored the interrupt until its term was out of time/)
        await sleep(1_500)
        expect(await holders()).toEqual([])
        expect(one.isRunning).toBe(true)
        process.kill(guard, 'SIGCONT')
        expect(await one.end()).toEqual({ code: 76, signal: null })
        expect(one.stderr.match(/has 'deploy' with token \d+/g)).toEqual([`has 'deploy' with token ${rest[0]}`])
        expect(story.of('one', 'begins')).toHaveLength(1)
        expect(one.stderr).not.toContain('The logger has failed')
      } finally {
        await server.dispose()
      }
    },
  )
})
