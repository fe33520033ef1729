/** Where an application's client and its methods get their options from: given, from a ConfigService, or from the environment. */
import { Injectable, type ModuleMetadata } from '@nestjs/common'
import { ConfigModule, ConfigService } from '@nestjs/config'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { SimbaPartitioned } from '../../src/decorators/index.ts'
import type { Term } from '../../src/index.ts'
import { SimbaModule, type SimbaModuleOptions } from '../../src/nestjs/index.ts'
import { World } from '../support/world.ts'
import { type Application, compile, compileWith, optionsIn, start } from './application.ts'

let world: World
let partitions: Set<number>

beforeEach(() => {
  world = new World()
  partitions = new Set()
})
afterEach(() => vi.unstubAllEnvs())

@Injectable()
class Billing {
  @SimbaPartitioned({ group: 'billing', partitions: '${billing.partitions:3}', fixedRate: '1m' })
  bill(_term: Term, partition: number): void {
    partitions.add(partition)
  }
}

const configured = (values: object) => ConfigModule.forRoot({ ignoreEnvFile: true, load: [() => values] })

/** An application that is bootstrapped, with a client whose options come from its ConfigService. */
async function startAsync(values: object, metadata: ModuleMetadata = {}): Promise<Application> {
  const simba = SimbaModule.forRootAsync({
    imports: [configured(values)],
    inject: [ConfigService],
    useFactory: (config: ConfigService): SimbaModuleOptions =>
      optionsIn(world, { namespace: config.getOrThrow('simba.namespace'), node: config.getOrThrow('simba.node') }),
  })
  const application = await compileWith(world, { ...metadata, imports: [simba, ...(metadata.imports ?? [])] })
  await application.app.init()
  await world.pass(10)
  return application
}

describe('the client', () => {
  test('gets its options from a factory that is injected the ConfigService', async () => {
    const { simba } = await startAsync({ simba: { namespace: 'shop', node: 'till-1' } }, { providers: [Billing] })
    expect(simba.node).toBe('till-1')
    expect(partitions.size).toBe(3)
    const other = world.client({ namespace: 'shop' })
    expect(await other.simba.election('billing.0').leader()).toMatchObject({ node: 'till-1' })
  })

  test('gets its options from a class', async () => {
    @Injectable()
    class Options {
      create(): SimbaModuleOptions {
        return optionsIn(world, { node: 'of-a-class' })
      }
    }

    const { simba } = await compileWith(world, { imports: [SimbaModule.forRootAsync({ useClass: Options })] })
    expect(simba.node).toBe('of-a-class')
  })
})

describe('placeholders are filled in from', () => {
  test('the ConfigService, by path', async () => {
    await start(world, { imports: [configured({ billing: { partitions: 2 } })], providers: [Billing] })
    expect(partitions.size).toBe(2)
  })

  test('the ConfigService, by the name that a variable of the environment has', async () => {
    vi.stubEnv('BILLING_PARTITIONS', '4')
    await start(world, { imports: [configured({})], providers: [Billing] })
    expect(partitions.size).toBe(4)
  })

  test('the environment, where there is no ConfigService', async () => {
    vi.stubEnv('BILLING_PARTITIONS', '5')
    await start(world, { providers: [Billing] })
    expect(partitions.size).toBe(5)
  })

  test('a resolver that is given, and nowhere else', async () => {
    vi.stubEnv('BILLING_PARTITIONS', '5')
    const imports = [configured({ billing: { partitions: 2 } })]
    await start(
      world,
      { imports, providers: [Billing] },
      { resolve: (name) => (name === 'billing.partitions' ? 6 : null) },
    )
    expect(partitions.size).toBe(6)
  })
})

describe('the methods, but not the client, are disabled by', () => {
  const isDisabled = async (application: Promise<Application>) => {
    const { simba, events } = await application
    expect(events.map(({ type }) => type)).toEqual(['session.opened'])
    expect(partitions.size).toBe(0)
    const held = await simba.lock('still-there').acquire()
    await world.until(held.release(), 0)
  }

  test.each(['false', 'FALSE', '0', 'no', 'off'])('SIMBA_SCHEDULING_ENABLED=%s in the environment', async (value) => {
    vi.stubEnv('SIMBA_SCHEDULING_ENABLED', value)
    await isDisabled(start(world, { providers: [Billing] }))
  })

  test.each([false, 'false'])('SIMBA_SCHEDULING_ENABLED=%j of the ConfigService', async (value) => {
    const imports = [configured({ SIMBA_SCHEDULING_ENABLED: value })]
    await isDisabled(start(world, { imports, providers: [Billing] }))
  })

  test('the option', async () => {
    vi.stubEnv('SIMBA_SCHEDULING_ENABLED', 'true')
    await isDisabled(start(world, { providers: [Billing] }, { schedulingEnabled: false }))
  })

  test.each(['true', '1', '', undefined])('nothing else: SIMBA_SCHEDULING_ENABLED=%s', async (value) => {
    vi.stubEnv('SIMBA_SCHEDULING_ENABLED', value)
    await start(world, { providers: [Billing] })
    expect(partitions.size).toBe(3)
  })

  test('nothing else: the option, against the environment', async () => {
    vi.stubEnv('SIMBA_SCHEDULING_ENABLED', 'false')
    await start(world, { providers: [Billing] }, { schedulingEnabled: true })
    expect(partitions.size).toBe(3)
  })

  test('nothing else: a word that is neither is an error', async () => {
    vi.stubEnv('SIMBA_SCHEDULING_ENABLED', 'maybe')
    const { app } = await compile(world, { providers: [Billing] })
    await expect(app.init()).rejects.toThrow('SIMBA_SCHEDULING_ENABLED is "maybe"; allowed are true and false.')
  })
})

describe('options are checked', () => {
  test.each([
    [{ schedulingEnabled: 'no' }, 'schedulingEnabled is no; allowed are true and false.'],
    [{ resolve: {} }, 'resolve is [object Object]; allowed is a function of a name.'],
    [{ leaseDuration: '10' }, 'leaseDuration is "10"; allowed is a duration'],
  ])('%j is refused', async (options, message) => {
    const imports = [SimbaModule.forRoot({ ...optionsIn(world), ...options } as never)]
    await expect(compileWith(world, { imports })).rejects.toThrow(message)
  })
})
