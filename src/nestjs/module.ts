/** `SimbaModule`: one client for the whole application, and the decorated methods of all its providers. */
import { Global, Module } from '@nestjs/common'
import { ModuleRef, ModulesContainer } from '@nestjs/core'
import { SimbaError } from '../model/errors.ts'
import { createSimba, type Simba } from '../runtime/simba.ts'
import { SimbaClient } from './client.ts'
import { SimbaHealthIndicator } from './health.ts'
import { FIRST_TO_START, LAST_TO_START, setDistance } from './hooks.ts'
import { SIMBA } from './inject.ts'
import { nestLogger } from './logger.ts'
import { SimbaMethods } from './methods.ts'
import {
  ConfigurableModuleClass,
  checkMethodsOptions,
  MODULE_OPTIONS_TOKEN,
  type SimbaModuleOptions,
} from './options.ts'

/**
 * Imported once, by the root module: `SimbaModule.forRoot({ backend: 'redis://…' })`, or
 * `forRootAsync({ inject: [ConfigService], useFactory: (config) => ({ … }) })`.
 *
 * It provides the client (`@InjectSimba()`) and the `SimbaHealthIndicator` to all modules. The client begins before the first hook of the
 * application and is closed after the last one; decorated methods of providers and controllers run from the end of the bootstrap to the
 * begin of the shutdown, which takes `app.enableShutdownHooks()`.
 */
export class SimbaModule extends ConfigurableModuleClass {}

/** A module of its own, because it starts and ends at the other end of the application's life. */
class SimbaMethodsModule {}

Module({
  providers: [
    {
      provide: SimbaMethods,
      inject: [SIMBA, MODULE_OPTIONS_TOKEN, ModulesContainer, ModuleRef],
      useFactory(simba: Simba, options: SimbaModuleOptions, modules: ModulesContainer, moduleRef: ModuleRef) {
        setDistance(modules, SimbaMethodsModule, LAST_TO_START)
        return new SimbaMethods(simba, options, modules, moduleRef)
      },
    },
  ],
})(SimbaMethodsModule)

Global()(SimbaModule)
Module({
  imports: [SimbaMethodsModule],
  providers: [
    {
      provide: SIMBA,
      inject: [MODULE_OPTIONS_TOKEN, ModulesContainer],
      useFactory: createClient,
    },
    { provide: SimbaClient, inject: [SIMBA], useFactory: (simba: Simba) => new SimbaClient(simba) },
    { provide: SimbaHealthIndicator, inject: [SIMBA], useFactory: (simba: Simba) => new SimbaHealthIndicator(simba) },
  ],
  exports: [SIMBA, SimbaHealthIndicator, MODULE_OPTIONS_TOKEN],
})(SimbaModule)

function createClient(options: SimbaModuleOptions, modules: ModulesContainer): Simba {
  if (setDistance(modules, SimbaModule, FIRST_TO_START) > 1) {
    throw new SimbaError(
      'INVALID_OPTION',
      'SimbaModule is imported with options more than once; allowed is one forRoot() or forRootAsync() in an application, since its client is there for all modules.',
    )
  }
  const { schedulingEnabled, resolve, logger = nestLogger('Simba'), ...rest } = options
  checkMethodsOptions({ schedulingEnabled, resolve })
  return createSimba({ ...rest, logger })
}
