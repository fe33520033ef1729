/**
 * What the members of classes declare, kept by class: decorators write it, and a client reads it when an object is registered.
 * Nothing is checked here, so that a mistake is told where there is somebody to tell: at the registration.
 */
import type { LeaderAttributes, PartitionedAttributes, ScheduledAttributes } from './attributes.ts'

export type Attributes =
  | { readonly decorator: 'SimbaScheduled'; readonly attributes: ScheduledAttributes }
  | { readonly decorator: 'SimbaPartitioned'; readonly attributes: PartitionedAttributes }
  | { readonly decorator: 'SimbaLeader'; readonly attributes: LeaderAttributes }

/** What was decorated: a method of objects, with what it was at that moment, or what cannot be leader work. */
export type Member =
  | { readonly kind: 'method'; readonly name: string | symbol; readonly method: { readonly length: number } }
  | { readonly kind: Misplaced; readonly name: string | symbol }

export type Misplaced = 'a static method' | 'a private method' | 'a field' | 'an accessor' | 'a class'

export type Declaration = Attributes & { readonly member: Member }

const declared = new WeakMap<object, Set<Declaration>>()

/** The owner is the prototype of the class, or the class itself for what is static. */
export function declare(owner: object, declaration: Declaration): void {
  const own = declared.get(owner)
  if (own) own.add(declaration)
  else declared.set(owner, new Set([declaration]))
}

/** What the classes of an object declare, those that are extended first. */
export function declarationsOf(object: object): readonly Declaration[] {
  return declarationsBelow(Object.getPrototypeOf(object))
}

/** As `declarationsOf`, for the objects that have this prototype. */
export function declarationsBelow(prototype: object | null): readonly Declaration[] {
  if (prototype === null) return []
  const owners = Object.hasOwn(prototype, 'constructor') ? [prototype, prototype.constructor] : [prototype]
  return [
    ...declarationsBelow(Object.getPrototypeOf(prototype)),
    ...owners.flatMap((owner) => [...(declared.get(owner) ?? [])]),
  ]
}
