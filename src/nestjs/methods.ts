/**
 * The decorated methods in the life of an application: they start when everything else has, and are the first to stop, before any
 * provider that they use hears of the end.
 */
import { Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import type { ModuleRef, ModulesContainer } from '@nestjs/core'
import type { Registration } from '../runtime/register.ts'
import type { Simba } from '../runtime/simba.ts'
import { isSchedulingEnabled, resolverOf } from './config.ts'
import { findDeclaring } from './discovery.ts'
import type { MethodsOptions } from './options.ts'

export class SimbaMethods implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #simba: Simba
  readonly #options: MethodsOptions
  readonly #modules: ModulesContainer
  readonly #moduleRef: ModuleRef
  readonly #logger = new Logger('Simba')
  #registration: Registration | undefined

  constructor(simba: Simba, options: MethodsOptions, modules: ModulesContainer, moduleRef: ModuleRef) {
    this.#simba = simba
    this.#options = options
    this.#modules = modules
    this.#moduleRef = moduleRef
  }

  async onApplicationBootstrap(): Promise<void> {
    const environment = await resolverOf(this.#moduleRef)
    const { resolve = environment, schedulingEnabled = isSchedulingEnabled(environment) } = this.#options
    if (!schedulingEnabled) {
      this.#logger.log('Scheduling is disabled: this process runs no decorated methods.')
      return
    }
    const objects = findDeclaring(this.#modules)
    this.#registration = this.#simba.register(objects, { resolve })
    for (const { method, kind, name } of this.#registration.methods)
      this.#logger.log(`${method} contends for the ${kind} ${name}`)
  }

  async onModuleDestroy(): Promise<void> {
    await this.#registration?.stop()
  }
}
