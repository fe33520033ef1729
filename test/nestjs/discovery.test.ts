/** Whose methods an application runs: those of all its modules; and what cannot be run is an error when it starts. */
import { Controller, Injectable, Module, Scope } from '@nestjs/common'
import { LazyModuleLoader } from '@nestjs/core'
import { beforeEach, describe, expect, test } from 'vitest'
import { SimbaLeader, SimbaPartitioned, SimbaScheduled } from '../../src/decorators/index.ts'
import type { Simba, Term } from '../../src/index.ts'
import { InjectSimba, SIMBA, SimbaModule } from '../../src/nestjs/index.ts'
import { World } from '../support/world.ts'
import { compile, compileWith, optionsIn, start } from './application.ts'

let world: World
let runs: string[]

beforeEach(() => {
  world = new World()
  runs = []
})

/** A class with one decorated method, which tells of its runs. */
function declaring(name: string) {
  class Declaring {
    @SimbaLeader({ name })
    run(_term: Term): void {
      runs.push(name)
    }
  }
  return Declaring
}

describe('the methods', () => {
  test('of providers and controllers of all modules run, however they are provided', async () => {
    @Injectable()
    class OfRoot extends declaring('of-root') {}

    @Controller()
    class OfController extends declaring('of-controller') {}

    @Injectable()
    class OfModule extends declaring('of-module') {}

    class Made extends declaring('made') {}

    @Module({ providers: [OfModule] })
    class Inner {}

    @Module({ imports: [Inner] })
    class Outer {}
    const value = new (declaring('a-value'))()

    await start(world, {
      imports: [Outer],
      controllers: [OfController],
      providers: [
        OfRoot,
        { provide: 'made', useFactory: async () => new Made() },
        { provide: 'value', useValue: value },
        { provide: 'class', useClass: declaring('a-class') },
        // One object under a second name is one object.
        { provide: 'alias', useExisting: OfRoot },
        { provide: 'text', useValue: 'no object' },
        { provide: 'nothing', useFactory: () => null },
      ],
    })
    expect(runs.toSorted()).toEqual(['a-class', 'a-value', 'made', 'of-controller', 'of-module', 'of-root'])
  })

  test('get what their objects were injected', async () => {
    @Injectable()
    class Sink {
      readonly rows: string[] = []
    }

    @Injectable()
    class Billing {
      constructor(
        private readonly sink: Sink,
        @InjectSimba() private readonly simba: Simba,
      ) {}

      @SimbaPartitioned({ group: 'billing', partitions: 2, fixedRate: '1m' })
      async bill(term: Term, partition: number): Promise<void> {
        this.sink.rows.push(`${this.simba.node} bills ${partition} as ${term.lease}`)
      }
    }

    const { app, simba } = await start(world, { providers: [Sink, Billing] })
    expect(app.get(Sink).rows).toEqual(['nest bills 0 as billing.0', 'nest bills 1 as billing.1'])
    expect(app.get(SIMBA)).toBe(simba)
  })

  test('of a module that is loaded later are not found', async () => {
    @Module({ providers: [declaring('lazy')] })
    class Lazy {}

    const { app } = await start(world, {})
    await app.get(LazyModuleLoader).load(() => Lazy)
    await world.pass(1_000)
    expect(runs).toEqual([])
  })

  test('of an application without any are none', async () => {
    const { events } = await start(world, {})
    expect(events.map(({ type }) => type)).toEqual(['session.opened'])
  })
})

describe('refused is', () => {
  test('a class that two modules provide, of which there are two objects', async () => {
    @Injectable()
    class Twice extends declaring('twice') {}

    @Module({ providers: [Twice] })
    class One {}

    @Module({ providers: [Twice] })
    class Other {}

    const { app } = await compile(world, { imports: [One, Other] })
    await expect(app.init()).rejects.toThrow("Twice.run: the name 'twice' is taken by the name 'twice' of Twice.run.")
  })

  test('one name in two modules', async () => {
    @Module({ providers: [declaring('same')] })
    class One {}

    @Module({ providers: [declaring('same')] })
    class Other {}

    const { app } = await compile(world, { imports: [One, Other] })
    await expect(app.init()).rejects.toThrow(
      expect.objectContaining({
        code: 'ALREADY_STARTED',
        message: expect.stringContaining("the name 'same' is taken"),
      }),
    )
  })

  test.each([
    ['is request-scoped', Scope.REQUEST],
    ['is transient', Scope.TRANSIENT],
  ])('a provider that %s', async (_, scope) => {
    @Injectable({ scope })
    class Scoped {
      @SimbaScheduled({ name: 'scoped', fixedRate: '1m' })
      run(): void {}
    }

    const { app, events } = await compile(world, { providers: [Scoped] })
    await expect(app.init()).rejects.toThrow(
      'Scoped.run: @SimbaScheduled is for providers of which an application has one object, and this one is made anew for',
    )
    await world.pass(1_000)
    expect(events.map(({ type }) => type)).toEqual(['session.opened'])
  })

  test('a provider, or a controller, that depends on one that is request-scoped', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Request {}

    @Controller()
    class Depending {
      constructor(readonly request: Request) {}

      @SimbaLeader({ name: 'depending' })
      run(): void {}
    }

    const { app } = await compile(world, { controllers: [Depending], providers: [Request] })
    await expect(app.init()).rejects.toThrow('Depending.run: @SimbaLeader is for providers of which an application has')
  })

  test('a second SimbaModule with options', async () => {
    @Module({ imports: [SimbaModule.forRoot(optionsIn(world))] })
    class Feature {}

    const imports = [SimbaModule.forRoot(optionsIn(world, { node: 'other' })), Feature]
    await expect(compileWith(world, { imports })).rejects.toThrow(
      'SimbaModule is imported with options more than once; allowed is one forRoot() or forRootAsync() in an application',
    )
  })

  test('nothing of a provider that is request-scoped and declares nothing', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Request {}

    await start(world, { providers: [Request, declaring('beside')] })
    expect(runs).toEqual(['beside'])
  })

  test('an option that is unknown', async () => {
    const imports = [SimbaModule.forRoot({ ...optionsIn(world), backed: 'memory:' } as never)]
    await expect(compileWith(world, { imports })).rejects.toThrow("createSimba has no option 'backed'; allowed are")
  })
})
