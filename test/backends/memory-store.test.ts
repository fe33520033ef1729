/** What the memory store promises beyond the contract: its own time, determinism, strictness, and that it forgets. */
import { describe, expect, it } from 'vitest'
import { type MemoryBackend, type MemoryOptions, memory } from '../../src/backends/memory/index.ts'
import { MemoryStore } from '../../src/backends/memory/store.ts'
import type { BackendEnvironment, Hint, Session } from '../../src/backends/port.ts'
import { HandClock } from '../support/hand-clock.ts'

const OPTIONS = { node: 'a', leaseDurationMs: 1_000, renewIntervalMs: 300 }
const silent = { debug() {}, info() {}, warn() {}, error() {} }

/** Random enough, and the same each time. */
function countingRandom(): () => number {
  let count = 0
  return () => ((count++ * 0.618_033_988) % 1) + 0
}

function environment(clock: HandClock, changes: Partial<BackendEnvironment> = {}): BackendEnvironment {
  return { clock, random: countingRandom(), logger: silent, namespace: 'test', ...changes }
}

function stage(options: MemoryOptions = {}) {
  const clock = new HandClock()
  const backend = memory(options)
  const env = environment(clock)
  const hints: Hint[] = []
  const enter = async (node: string, store: MemoryBackend = backend): Promise<Session> => {
    const session = store.connect(env).session({ ...OPTIONS, node }, (hint) => hints.push(hint))
    await session.open()
    return session
  }
  return { clock, backend, env, hints, enter }
}

describe('the memory store', () => {
  it('takes the clock of the first client for its own', async () => {
    const { clock, enter, backend } = stage()
    const a = await enter('a')
    const elsewhere = new HandClock()
    backend.connect(environment(elsewhere))
    await elsewhere.pass(10_000)
    expect(await a.look()).toMatchObject({ kind: 'inbox' })
    await clock.pass(1_000)
    expect(await a.look()).toEqual({ kind: 'unknown' })
  })

  it('takes the clock that it was given instead', async () => {
    const own = new HandClock()
    const { clock, enter } = stage({ clock: own })
    const a = await enter('a')
    await clock.pass(10_000)
    expect(await a.look()).toMatchObject({ kind: 'inbox' })
    await own.pass(999)
    expect(await a.look()).toMatchObject({ kind: 'inbox' })
    await own.pass(1)
    expect(await a.look()).toEqual({ kind: 'unknown' })
  })

  it('is one store for all who were given it, and another one for others', async () => {
    const { enter } = stage()
    const a = await enter('a')
    const b = await enter('b')
    const stranger = await enter('stranger', memory())
    expect(await a.campaign('x', 1)).toMatchObject({ kind: 'granted' })
    expect(await b.campaign('x', 1)).toEqual({ kind: 'held', holder: 'a' })
    expect(await stranger.campaign('x', 1)).toMatchObject({ kind: 'granted' })
  })

  it('answers and pushes only after whoever caused it has gone on', async () => {
    const { enter, hints } = stage()
    const a = await enter('a')
    const b = await enter('b')
    const granted = await a.campaign('x', 1)
    if (granted.kind !== 'granted') throw new Error(granted.kind)
    await b.campaign('x', 1)
    const released = a.release('x', granted.token, 2)
    expect(hints).toEqual([])
    const early = await Promise.race([b.look(), 'not yet'])
    expect(early).toBe('not yet')
    expect(await released).toEqual({ kind: 'released' })
    expect(await b.look()).toMatchObject({ inbox: { freed: ['x'] } })
    expect(hints).toEqual([{ type: 'lease.freed', lease: 'x' }])
  })

  it('takes the commands in the order in which they were given', async () => {
    const { enter } = stage()
    const a = await enter('a')
    const b = await enter('b')
    const answers = await Promise.all([a.campaign('x', 1), b.campaign('x', 1), a.withdraw('x', 2), b.campaign('x', 2)])
    expect(answers.map((answer) => answer.kind)).toEqual(['granted', 'held', 'withdrawn', 'granted'])
  })

  it('does the same each time', async () => {
    const play = async () => {
      const { clock, enter, hints } = stage()
      const log: unknown[] = []
      const sessions = [await enter('a'), await enter('b'), await enter('c')]
      for (let number = 1; number <= 20; number++) {
        for (const session of sessions) {
          log.push(session.id, await session.campaign(`x${number % 3}`, number))
          log.push(await session.join('g', { partitions: 4, resting: [number % 4] }, number))
          if (number % 4 === 0) log.push(await session.withdraw(`x${number % 2}`, number))
        }
        await clock.pass(number * 10)
        log.push(await sessions[number % 3]?.renew({ settled: number - 1, epoch: 1 }), [...hints])
      }
      return log
    }
    expect(await play()).toEqual(await play())
  })

  it('hands out copies', async () => {
    const { enter } = stage()
    const a = await enter('a')
    const resting = [1]
    await a.join('g', { partitions: 4, resting }, 1)
    resting.push(2)
    const first = await a.members('g')
    if (first.kind !== 'members') throw new Error(first.kind)
    ;(first.members[0]!.resting as number[]).push(3)
    expect(await a.members('g')).toMatchObject({ members: [{ resting: [1] }] })
  })

  it('pushes nothing to a connection that was closed, and takes no calls of it', async () => {
    const { backend, env, enter, hints } = stage()
    const connection = backend.connect(env)
    const b = connection.session({ ...OPTIONS, node: 'b' }, (hint) => hints.push(hint))
    const a = await enter('a')
    await a.campaign('x', 1)
    await b.open()
    await b.campaign('x', 1)
    await connection.close()
    await a.withdraw('x', 2)
    await a.look()
    expect(hints).toEqual([])
    await expect(b.look()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
    await expect(connection.leaders(['x'])).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
  })

  it('does not let a clock that steps back pin a dead holder', async () => {
    const { clock, enter } = stage()
    const a = await enter('a')
    await a.campaign('x', 1)
    clock.step('now', -100_000)
    const b = await enter('b')
    expect(await b.renew({ settled: 0, epoch: 1 })).toMatchObject({ nextExpiryInMs: 1_000 })
    expect(await b.campaign('x', 1)).toEqual({ kind: 'held', holder: 'a' })
    await clock.pass(999)
    await b.renew({ settled: 0, epoch: 1 })
    await clock.pass(1)
    expect(await b.campaign('x', 2)).toMatchObject({ kind: 'granted' })
  })

  it('does not let a clock that steps back pin an offer or a quarantine', async () => {
    const { clock, backend, enter } = stage()
    const [a, b, c] = [await enter('a'), await enter('b'), await enter('c')]
    const renewAll = () => Promise.all([a, b, c].map((session) => session.renew({ settled: 0, epoch: 1 })))
    await a.campaign('x', 1)
    await b.campaign('x', 1)
    await c.campaign('x', 1)
    await a.withdraw('x', 2)
    clock.step('now', -100_000)
    await renewAll()
    expect(await b.look()).toMatchObject({ inbox: { freed: ['x'] } })
    await clock.pass(300)
    await renewAll()
    expect(await c.look()).toMatchObject({ inbox: { freed: ['x'] } })
    await clock.pass(50_000)
    const d = await enter('d')
    backend.restart({ data: 'kept' })
    expect(await d.campaign('x', 1)).toEqual({ kind: 'quarantined', retryInMs: 1_000 })
    clock.step('now', -100_000)
    const e = await enter('e')
    expect(await e.campaign('x', 1)).toEqual({ kind: 'quarantined', retryInMs: 1_000 })
  })

  it('grants growing tokens while the wall clock steps back', async () => {
    const { clock, enter } = stage()
    const a = await enter('a')
    const first = await a.campaign('x', 1)
    clock.step('wall', -1_000_000)
    const second = await a.campaign('x', 2)
    if (first.kind !== 'granted' || second.kind !== 'granted') throw new Error('not granted')
    expect(second.token).toBe(first.token + 1)
  })

  it('passes on at most 100 overdue offers in one renewal', async () => {
    const { clock, enter } = stage()
    const [a, b, c] = [await enter('a'), await enter('b'), await enter('c')]
    for (let index = 0; index < 150; index++) {
      await a.campaign(`x${index}`, 1)
      await b.campaign(`x${index}`, 1)
      await c.campaign(`x${index}`, 1)
      await a.withdraw(`x${index}`, 2)
    }
    await clock.pass(300)
    const first = await c.renew({ settled: 0, epoch: 1 })
    expect(first).toMatchObject({ nextExpiryInMs: 0 })
    expect(first.kind === 'renewed' && first.inbox.freed.length).toBe(100)
    const second = await c.renew({ settled: 0, epoch: 1 })
    expect(second).toMatchObject({ nextExpiryInMs: 300 })
    expect(second.kind === 'renewed' && second.inbox.freed.length).toBe(150)
  })

  it('remembers nothing of leases, groups and sessions that are over', () => {
    const clock = new HandClock()
    const namespace = new MemoryStore(clock, () => {}).namespace('test')
    namespace.open('one', OPTIONS)
    namespace.open('two', OPTIONS)
    for (let number = 1; number <= 10_000; number += 2) {
      namespace.campaign('one', `lock-${number}`, number)
      namespace.campaign('two', `lock-${number}`, number)
      namespace.withdraw('one', `lock-${number}`, number + 1)
      namespace.withdraw('two', `lock-${number}`, number + 1)
      namespace.join('one', `group-${number}`, { partitions: 4, resting: [] }, number)
      namespace.leave('one', `group-${number}`, number + 1)
      if (number % 100 !== 1) continue
      namespace.renew('one', { settled: number + 1, epoch: 1 })
      namespace.renew('two', { settled: number + 1, epoch: 1 })
      expect(namespace.size).toEqual({ sessions: 2, leases: 0, groups: 0, numbers: 0 })
    }
    namespace.close('one')
    clock.step('now', 1_000)
    namespace.open('three', OPTIONS)
    namespace.renew('three', { settled: 0, epoch: 1 })
    expect(namespace.size).toEqual({ sessions: 1, leases: 0, groups: 0, numbers: 0 })
  })

  it('refuses what a real store could not read', async () => {
    const { backend, env, enter } = stage()
    const refused = { code: 'INVALID_OPTION' }
    expect(() => memory({ clok: new HandClock() } as MemoryOptions)).toThrow(/clok.*allowed are clock/)
    const session = (changes: object) => () => backend.connect(env).session({ ...OPTIONS, ...changes }, () => {})
    expect(session({ leaseDurationMs: 0 })).toThrow(/leaseDurationMs is 0/)
    expect(session({ renewIntervalMs: Number.NaN })).toThrow(/renewIntervalMs/)
    const a = await enter('a')
    await expect(a.campaign('no spaces', 1)).rejects.toMatchObject(refused)
    await expect(a.campaign('x', 0)).rejects.toMatchObject(refused)
    await expect(a.campaign('x', 1.5)).rejects.toMatchObject(refused)
    await expect(a.release('x', Number.NaN, 1)).rejects.toMatchObject(refused)
    await expect(a.join('g', { partitions: 4, resting: [4] }, 1)).rejects.toMatchObject(refused)
    await expect(a.join('g', { partitions: 0, resting: [] }, 1)).rejects.toMatchObject(refused)
    await expect(a.renew({ settled: -1, epoch: 1 })).rejects.toMatchObject(refused)
    expect(await a.campaign('x', 1)).toMatchObject({ kind: 'granted' })
  })
})
