/** Applications of NestJS whose clients live in the world of a test. */
import type { ModuleMetadata } from '@nestjs/common'
import { Test, type TestingModule } from '@nestjs/testing'
import { onTestFinished } from 'vitest'
import type { Simba, SimbaEvent } from '../../src/index.ts'
import { SIMBA, SimbaModule, type SimbaModuleOptions } from '../../src/nestjs/index.ts'
import { LogBook } from '../support/log-book.ts'
import { LEASE_MS, RENEW_MS, type World } from '../support/world.ts'

export interface Application {
  readonly app: TestingModule
  readonly simba: Simba
  readonly events: readonly SimbaEvent[]
  /** Lets the time of the world pass until the application is closed. Its hooks are called once. */
  close(): Promise<void>
}

/** What a client in this world is made with. */
export function optionsIn(world: World, options: SimbaModuleOptions = {}): SimbaModuleOptions {
  return {
    backend: world.backend,
    node: 'nest',
    leaseDuration: LEASE_MS,
    renewInterval: RENEW_MS,
    environment: { time: world.time },
    logger: new LogBook(),
    ...options,
  }
}

/** Made, and not initialized. */
export async function compile(
  world: World,
  { imports = [], ...metadata }: ModuleMetadata,
  options?: SimbaModuleOptions,
): Promise<Application> {
  return compileWith(world, { imports: [SimbaModule.forRoot(optionsIn(world, options)), ...imports], ...metadata })
}

/** As `compile`, where the module is among the imports. */
export async function compileWith(world: World, metadata: ModuleMetadata): Promise<Application> {
  const app = await Test.createTestingModule(metadata).compile()
  const simba = app.get<Simba>(SIMBA)
  const events: SimbaEvent[] = []
  simba.on('*', (event) => events.push(event))
  let closing: Promise<void> | undefined
  const close = async () => {
    closing ??= app.close()
    await world.until(closing, 3 * LEASE_MS)
  }
  onTestFinished(close)
  return { app, simba, events, close }
}

/** Bootstrapped. */
export async function start(
  world: World,
  metadata: ModuleMetadata,
  options?: SimbaModuleOptions,
): Promise<Application> {
  const application = await compile(world, metadata, options)
  await application.app.init()
  await world.pass(10)
  return application
}
