/** Where the values of an application come from: its ConfigService where it has one, else the environment. */
import type { ModuleRef } from '@nestjs/core'
import { SimbaError } from '../model/errors.ts'
import { fromEnvironment, type Resolve, variableOf } from '../runtime/placeholders.ts'

export async function resolverOf(moduleRef: ModuleRef): Promise<Resolve> {
  const config = await findConfigService(moduleRef)
  // Its variables of the environment have the names that shells can set, as ours have.
  return config ? (name) => config.get(name) ?? config.get(variableOf(name)) : fromEnvironment
}

interface Config {
  get(name: string): unknown
}

async function findConfigService(moduleRef: ModuleRef): Promise<Config | undefined> {
  try {
    const { ConfigService } = await import('@nestjs/config')
    return moduleRef.get(ConfigService, { strict: false })
  } catch {
    // The package is not installed, or the application does without.
    return undefined
  }
}

const ENABLED = 'SIMBA_SCHEDULING_ENABLED'
const YES: readonly unknown[] = [true, 'true', '1', 'yes', 'on']
const NO: readonly unknown[] = [false, 'false', '0', 'no', 'off']

/** Whether the environment wants decorated methods to run. */
export function isSchedulingEnabled(resolve: Resolve): boolean {
  const value = resolve(ENABLED) ?? true
  const word = typeof value === 'string' ? value.toLowerCase() : value
  if (YES.includes(word) || word === '') return true
  if (NO.includes(word)) return false
  throw new SimbaError('INVALID_OPTION', `${ENABLED} is ${JSON.stringify(value)}; allowed are true and false.`)
}
