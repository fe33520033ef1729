/** The providers and controllers of an application whose methods declare leader work. */
import type { ModulesContainer } from '@nestjs/core'
import { SimbaError } from '../model/errors.ts'
import { declarationsBelow, declarationsOf } from '../runtime/declarations.ts'

/** Of all modules; one that goes by several tokens once. Throws `INVALID_OPTION` for what has no single object. */
export function findDeclaring(modules: ModulesContainer): readonly object[] {
  const found = new Set<object>()
  for (const { providers, controllers } of modules.values()) {
    for (const wrapper of [...providers.values(), ...controllers.values()]) {
      if (wrapper.isTransient || !wrapper.isDependencyTreeStatic()) checkUndeclared(wrapper.metatype)
      else if (declares(wrapper.instance)) found.add(wrapper.instance)
    }
  }
  return [...found]
}

function declares(instance: unknown): instance is object {
  return typeof instance === 'object' && instance !== null && declarationsOf(instance).length > 0
}

function checkUndeclared(metatype: { readonly name: string; readonly prototype?: object } | null): void {
  const [declaration] = declarationsBelow(metatype?.prototype ?? null)
  if (!metatype || !declaration) return
  throw new SimbaError(
    'INVALID_OPTION',
    `${metatype.name}.${String(declaration.member.name)}: @${declaration.decorator} is for providers of which an application has one ` +
      'object, and this one is made anew for each request or for each place where it is injected, or depends on one that is.',
  )
}
