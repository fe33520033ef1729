/** One decorator for both forms: it tells them apart by what it is called with. */
import { type Attributes, declare, type Member, type Misplaced } from '../runtime/declarations.ts'

interface StandardContext {
  readonly kind: 'method' | 'field' | 'accessor' | 'getter' | 'setter' | 'class'
  readonly name: string | symbol
  readonly static?: boolean
  readonly private?: boolean
  addInitializer(initializer: (this: object) => void): void
}

type AnyMethod = (...args: readonly unknown[]) => unknown

export function decorate(attributes: Attributes, [target, context, descriptor]: readonly unknown[]): void {
  if (isStandard(context)) declareLater(attributes, target, context)
  else declare(target as object, { ...attributes, member: legacyMember(target, context, descriptor) })
}

function isStandard(context: unknown): context is StandardContext {
  return typeof context === 'object' && context !== null && 'addInitializer' in context
}

/** A standard decorator does not see the class. Its initializer does, with each object that is made. */
function declareLater(attributes: Attributes, target: unknown, context: StandardContext): void {
  const declaration = { ...attributes, member: standardMember(target, context) }
  context.addInitializer(function () {
    declare(typeof this === 'function' ? this : Object.getPrototypeOf(this), declaration)
  })
}

const MISPLACED: Readonly<Record<Exclude<StandardContext['kind'], 'method'>, Misplaced>> = {
  field: 'a field',
  accessor: 'an accessor',
  getter: 'an accessor',
  setter: 'an accessor',
  class: 'a class',
}

function standardMember(target: unknown, context: StandardContext): Member {
  const { kind, name } = context
  if (kind !== 'method') return { kind: MISPLACED[kind], name }
  if (context.static) return { kind: 'a static method', name }
  if (context.private) return { kind: 'a private method', name }
  return { kind, name, method: target as AnyMethod }
}

function legacyMember(target: unknown, key: unknown, descriptor: unknown): Member {
  if (key === undefined) return { kind: 'a class', name: (target as AnyMethod).name }
  const name = key as string | symbol
  if (descriptor === undefined) return { kind: 'a field', name }
  const method: unknown = (descriptor as PropertyDescriptor).value
  if (typeof method !== 'function') return { kind: 'an accessor', name }
  return typeof target === 'function'
    ? { kind: 'a static method', name }
    : { kind: 'method', name, method: method as AnyMethod }
}
