/**
 * When Nest calls the hooks of a module. It calls those of modules further from the root module earlier when the application starts, and
 * later when it ends; so a module of this package says how far it is.
 */
import type { Type } from '@nestjs/common'
import type { ModulesContainer } from '@nestjs/core'

/** Further than global modules, which have the greatest number there is. */
export const FIRST_TO_START = Number.POSITIVE_INFINITY
/** Closer than the root module, which has 0 or more. */
export const LAST_TO_START = -1

/** Has to be called while the application makes its providers: Nest looks once, before the first hook. Returns how many there are of the module. */
export function setDistance(modules: ModulesContainer, module: Type, distance: number): number {
  const own = [...modules.values()].filter(({ metatype }) => metatype === module)
  for (const one of own) one.distance = distance
  return own.length
}
