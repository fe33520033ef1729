/** When the methods of an application start and stop, seen against the hooks of everything else in it. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { Controller, Global, type INestApplicationContext, Injectable, Module } from '@nestjs/common'
import { Test } from '@nestjs/testing'
import { beforeEach, describe, expect, test } from 'vitest'
import { SimbaLeader, SimbaScheduled } from '../../src/decorators/index.ts'
import type { Simba, Term } from '../../src/index.ts'
import { InjectSimba, SIMBA, SimbaModule } from '../../src/nestjs/index.ts'
import { hanging, Road } from '../support/road.ts'
import { untilAborted } from '../support/work.ts'
import { LEASE_MS, World } from '../support/world.ts'
import { compile, compileWith, optionsIn, start } from './application.ts'

let world: World
/** What has happened, in order. */
let story: string[]

beforeEach(() => {
  world = new World()
  story = []
})

const HOOKS = [
  'onModuleInit',
  'onApplicationBootstrap',
  'onModuleDestroy',
  'beforeApplicationShutdown',
  'onApplicationShutdown',
] as const

/** A class that tells of each of its hooks; each takes its time. */
function Telling(name: string) {
  class Telling {}
  for (const hook of HOOKS) {
    Object.defineProperty(Telling.prototype, hook, {
      value: async () => {
        await Promise.resolve()
        story.push(`${hook} of ${name}`)
      },
    })
  }
  return Telling
}

@Injectable()
class Sink extends Telling('the sink') {}

@Injectable()
class Reports extends Telling('the reports') {
  constructor(readonly sink: Sink) {
    super()
  }

  @SimbaLeader({ name: 'report' })
  async report(term: Term): Promise<void> {
    story.push('the work begins')
    await untilAborted(term)
    await world.sleep(100)
    story.push('the work exits')
  }
}

@Controller()
class Pages extends Telling('the pages') {}

@Module({ providers: [Sink], exports: [Sink] })
class SinkModule extends Telling('the module of the sink') {}

@Global()
@Module({ providers: [{ provide: 'global', useClass: class extends Telling('a global provider') {} }] })
class GlobalModule extends Telling('a global module') {}

const REPORTS = { imports: [GlobalModule, SinkModule], providers: [Reports], controllers: [Pages] }

describe('methods', () => {
  test('start when every bootstrap hook is done, and end before the first hook of the shutdown', async () => {
    @Module({ imports: [SimbaModule.forRoot(optionsIn(world)), ...REPORTS.imports], providers: [Reports, Pages] })
    class Root extends Telling('the root module') {}

    const { app, simba, close } = await compileWith(world, { imports: [Root] })
    for (const type of ['session.opened', 'session.closed', 'handover.completed'] as const)
      simba.on(type, () => story.push(type))
    await app.init()
    await world.pass(10)
    await close()

    const bootstrapped = story.findLastIndex((line) => line.startsWith('onApplicationBootstrap'))
    const destroyed = story.findIndex((line) => line.startsWith('onModuleDestroy'))
    expect(story.slice(bootstrapped + 1, destroyed)).toEqual([
      'the work begins',
      'the work exits',
      'handover.completed',
    ])
    // Each of the seven has told of all its hooks.
    for (const hook of HOOKS) expect(story.filter((line) => line.startsWith(hook))).toHaveLength(7)
    expect(story.at(-1)).toBe('session.closed')
  })

  test('of an application with a server do the same', async () => {
    const { app, close } = await compile(world, { imports: [GlobalModule, SinkModule], providers: [Reports] })
    const server = app.createNestApplication({ logger: false })
    await server.init()
    await world.pass(10)
    await world.until(server.close(), LEASE_MS)
    await close()
    const exited = story.indexOf('the work exits')
    expect(story.findLastIndex((line) => line.startsWith('onApplicationBootstrap'))).toBeLessThan(
      story.indexOf('the work begins'),
    )
    expect(exited).toBeGreaterThan(0)
    expect(story.findIndex((line) => line.startsWith('onModuleDestroy'))).toBeGreaterThan(exited)
  })

  test('are handed over to another instance, and what could be finished is not cut off', async () => {
    const other = await start(world, { imports: [SinkModule], providers: [Reports] }, { node: 'other' })
    const { events, close } = await start(world, { imports: [SinkModule], providers: [Reports] })
    expect(events.map(({ type }) => type)).not.toContain('term.started')
    await other.close()
    await world.pass(10)
    const outcomes = other.events.flatMap((event) => (event.type === 'work.completed' ? event.outcome : []))
    expect(outcomes).toEqual(['COMPLETED'])
    expect(events.map(({ type }) => type)).toContain('term.started')
    await close()
    expect(await world.storeIsEmpty()).toBe(true)
  })

  test('may close the application themselves', async () => {
    let app: INestApplicationContext | undefined

    @Injectable()
    class Closing extends Telling('the closing one') {
      @SimbaLeader({ name: 'closing' })
      async close(): Promise<void> {
        await app?.close()
        story.push('the work exits')
      }
    }

    const application = await compile(world, { providers: [Closing] })
    app = application.app
    await app.init()
    await world.pass(10)
    expect(story).toContain('the work exits')
    await application.close()
    expect(await world.storeIsEmpty()).toBe(true)
  })
})

describe('the client', () => {
  test('can be used in every hook of every provider', async () => {
    const takeLock = async (simba: Simba, when: string) => {
      await using held = await simba.lock(when).acquire()
      story.push(`${when} with token ${held.token > 0}`)
    }

    @Injectable()
    class Locking {
      constructor(@InjectSimba() readonly simba: Simba) {}

      onModuleInit(): Promise<void> {
        return takeLock(this.simba, 'init')
      }

      onApplicationShutdown(): Promise<void> {
        return takeLock(this.simba, 'shutdown')
      }
    }

    @Global()
    @Module({ providers: [Locking] })
    class LockingModule {}

    // A global module that stands before the one of the client.
    const imports = [LockingModule, SimbaModule.forRoot(optionsIn(world))]
    const { app, close } = await compileWith(world, { imports })
    const initialized = app.init()
    await world.pass(10)
    await initialized
    await close()
    expect(story).toEqual(['init with token true', 'shutdown with token true'])
  })

  test('is stopped with whatever was started by hand, at the end', async () => {
    const { simba, events, close } = await start(world, { providers: [Sink] })
    simba.election('by-hand').runWhileLeader(async (term) => {
      await untilAborted(term)
      story.push('what was started by hand exits')
    })
    await world.pass(10)
    await close()
    expect(story.slice(-2)).toEqual(['onApplicationShutdown of the sink', 'what was started by hand exits'])
    expect(events.at(-1)?.type).toBe('session.closed')
    expect(await world.storeIsEmpty()).toBe(true)
  })

  test('does not keep an application waiting that cannot reach its store', async () => {
    const road = new Road(world.backend, world.time)
    road.block(hanging)
    const { app, close } = await compile(world, { providers: [Reports, Sink] }, { backend: road.backend })
    await app.init()
    await close()
    expect(story).not.toContain('the work begins')
  })
})

describe('an application that fails while it starts', () => {
  const failing = (hook: 'onModuleInit' | 'onApplicationBootstrap') => {
    class Failing {}
    Object.defineProperty(Failing.prototype, hook, { value: () => Promise.reject(new Error(`no ${hook}`)) })
    return Failing
  }

  test.each([['onModuleInit'], ['onApplicationBootstrap']] as const)(
    'in %s runs no methods, and leaves nothing when it is closed',
    async (hook) => {
      @Module({ imports: [SimbaModule.forRoot(optionsIn(world)), SinkModule], providers: [Reports] })
      class Root extends failing(hook) {}

      const { app, events, close } = await compileWith(world, { imports: [Root] })
      await expect(app.init()).rejects.toThrow(`no ${hook}`)
      await world.pass(LEASE_MS)
      expect(story).not.toContain('the work begins')
      expect(events.map(({ type }) => type)).not.toContain('term.started')
      await close()
      expect(events.at(-1)?.type).toBe('session.closed')
      expect(await world.storeIsEmpty()).toBe(true)
    },
  )

  test('before its hooks never opens a session', async () => {
    const imports = [SimbaModule.forRoot(optionsIn(world))]
    const factory = { provide: 'broken', inject: [SIMBA], useFactory: () => Promise.reject(new Error('broken')) }
    await expect(Test.createTestingModule({ imports, providers: [factory] }).compile()).rejects.toThrow('broken')
    await world.pass(LEASE_MS)
    expect(world.time.timers).toBe(0)
    expect(await world.storeIsEmpty()).toBe(true)
  })

  test('at its port has started, and hands over when it is closed', async () => {
    const { app, events, close } = await compile(world, { imports: [SinkModule], providers: [Reports] })
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const server = app.createNestApplication({ logger: false })
    await expect(server.listen((taken.address() as AddressInfo).port, '127.0.0.1')).rejects.toThrow('EADDRINUSE')
    await world.pass(10)
    expect(story.at(-1)).toBe('the work begins')
    await world.until(server.close(), LEASE_MS)
    expect(story).toContain('the work exits')
    expect(events.at(-1)?.type).toBe('session.closed')
    taken.close()
    await close()
  })

  test('because of a method fails with what is wrong about it, and starts none', async () => {
    @Injectable()
    class Wrong {
      @SimbaScheduled({ name: 'wrong', fixedRate: '${wrong.rate}' })
      run(): void {}
    }

    const { app, events } = await compile(world, { imports: [SinkModule], providers: [Reports, Wrong] })
    await expect(app.init()).rejects.toThrow('Wrong.run: fixedRate: ${wrong.rate} has no value')
    await world.pass(LEASE_MS)
    expect(events.map(({ type }) => type)).toEqual(['session.opened'])
  })
})

describe('hot reload in one process', () => {
  test('the new application leads as soon as the old one is closed, and never beside it', async () => {
    const old = await start(world, { imports: [SinkModule], providers: [Reports] }, { node: 'old' })
    const fresh = await start(world, { imports: [SinkModule], providers: [Reports] }, { node: 'fresh' })
    story = []
    await world.until(Promise.all([old.app.close(), old.app.close()]), LEASE_MS)
    await world.pass(10)
    const work = story.filter((line) => line.startsWith('the work'))
    expect(work).toEqual(['the work exits', 'the work begins'])
    await fresh.close()
  })
})
