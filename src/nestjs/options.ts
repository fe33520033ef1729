/** What `SimbaModule` is given. */
import { ConfigurableModuleBuilder } from '@nestjs/common'
import { SimbaError } from '../model/errors.ts'
import { checkResolve, type Resolve } from '../runtime/placeholders.ts'
import type { SimbaOptions } from '../runtime/settings.ts'

export interface SimbaModuleOptions extends SimbaOptions, MethodsOptions {}

/** The part that concerns the decorated methods. */
export interface MethodsOptions {
  /**
   * Whether decorated methods run in this process. The client does in any case. Default: `SIMBA_SCHEDULING_ENABLED` of the ConfigService
   * or the environment; `true` where that is not set.
   */
  readonly schedulingEnabled?: boolean
  /** The values of placeholders. Default: the ConfigService, where the application has one, else the environment. */
  readonly resolve?: Resolve
}

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<SimbaModuleOptions>({
  moduleName: 'Simba',
})
  .setClassMethodName('forRoot')
  .build()

/** Those of the client are checked by `createSimba()`. */
export function checkMethodsOptions({ schedulingEnabled, resolve }: MethodsOptions): void {
  if (schedulingEnabled !== undefined && typeof schedulingEnabled !== 'boolean') {
    throw new SimbaError(
      'INVALID_OPTION',
      `schedulingEnabled is ${String(schedulingEnabled)}; allowed are true and false.`,
    )
  }
  if (resolve !== undefined) checkResolve(resolve)
}
