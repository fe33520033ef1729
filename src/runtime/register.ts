/** `simba.register(object)`: starts what the decorated methods of an object declare. All of it, or, where something is wrong, nothing. */

import { checkKeys } from '../model/checkKeys.ts'
import { SimbaError } from '../model/errors.ts'
import { partitionOf } from '../model/names.ts'
import type { Core } from './core.ts'
import { type Declaration, declarationsOf } from './declarations.ts'
import { classOf, memberName } from './members.ts'
import { Mistakes } from './mistakes.ts'
import { checkResolve, fromEnvironment, type Resolve } from './placeholders.ts'
import { type Contender, type Plan, planOf, type RegisteredMethod } from './plan.ts'
import type { Tasks } from './tasks.ts'

export interface RegisterOptions {
  /** The values of placeholders: a text, a number, or `undefined` where a name has none. Default: the environment. */
  readonly resolve?: Resolve
}

/** What `simba.register()` has started. */
export interface Registration extends AsyncDisposable {
  /** In the order of the objects, and of their methods. */
  readonly methods: readonly RegisteredMethod[]
  /**
   * Ends all of it for good, side by side: interrupts the work, waits for its exit, releases the leases. Awaited from inside one of the
   * methods, it resolves when all were told to end.
   */
  stop(): Promise<void>
  /** The same as `stop()`. */
  close(): Promise<void>
}

export function register(core: Core, objects: object | readonly object[], options: RegisterOptions = {}): Registration {
  checkKeys('register()', options, ['resolve'])
  const resolve = checkResolve(options.resolve ?? fromEnvironment)
  const mistakes = new Mistakes()
  const plans = [objects].flat().flatMap((object) => plansOf(core, object, resolve, mistakes))
  checkNames(core, plans, mistakes)
  mistakes.throwIfAny()
  const methods = plans.map((plan) => plan.start())
  const stop = () => core.stop(...plans.map(({ contender }) => contender.id))
  return { methods, stop, close: stop, [Symbol.asyncDispose]: stop }
}

function plansOf(core: Core, object: unknown, resolve: Resolve, mistakes: Mistakes): readonly Plan[] {
  const declaring = mistakes.of('register()', () => checkObject(object))
  if (!declaring) return []
  return mostDerived(declaring, mistakes).flatMap(
    (declaration) => planOf(core, declaring, declaration, resolve, mistakes) ?? [],
  )
}

function checkObject(object: unknown): object {
  if (typeof object === 'function') throw invalid(`the class ${object.name} was given; allowed are objects of it`)
  if (typeof object !== 'object' || object === null) throw invalid(`${String(object)} was given; allowed are objects`)
  if (declarationsOf(object).length > 0) return object
  throw invalid(`an object of ${classOf(object)} was given, and none of its methods has a decorator of simba-xstate`)
}

/** A class that extends another may declare a method anew: then only that counts. */
function mostDerived(object: object, mistakes: Mistakes): readonly Declaration[] {
  const found = new Map<unknown, Declaration>()
  for (const declaration of declarationsOf(object)) {
    const { member } = declaration
    const key = member.kind === 'method' ? member.name : declaration
    const before = found.get(key)?.member
    if (member.kind === 'method' && before?.kind === 'method' && before.method === member.method) {
      mistakes.of(memberName(object, member), () => {
        throw invalid('the method has two decorators of simba-xstate; allowed is one')
      })
    }
    found.set(key, declaration)
  }
  return [...found.values()]
}

/** Names are unique: among these methods, and beside what the client has started. */
function checkNames({ runtime: { tasks } }: Core, plans: readonly Plan[], mistakes: Mistakes): void {
  const claims: (() => void)[] = []
  for (const [index, { method, contender }] of plans.entries()) {
    const other = plans.slice(0, index).find((plan) => clash(contender, plan.contender))
    mistakes.of(method, () => {
      if (other)
        throw new SimbaError(
          'ALREADY_STARTED',
          `${nameOf(contender)} is taken by ${nameOf(other.contender)} of ${other.method}.`,
        )
      claims.push(claim(tasks, contender))
    })
  }
  // Each start takes its name itself.
  for (const giveBack of claims) giveBack()
}

function clash(one: Contender, other: Contender): boolean {
  if (one.kind === other.kind) return one.id === other.id
  if (one.kind === 'election') return clash(other, one)
  return other.kind === 'election' && partitionOf(one.group.name, one.partitions, other.election.name) !== null
}

/** Throws `ALREADY_STARTED` where the name is taken. Returns what gives it back. */
function claim(tasks: Tasks, contender: Contender): () => void {
  if (contender.kind === 'election') {
    const { name } = contender.election
    tasks.claimLease(name)
    return () => tasks.releaseLease(name)
  }
  const { name } = contender.group
  tasks.claimGroup(name, contender.partitions)
  return () => tasks.releaseGroup(name)
}

function nameOf(contender: Contender): string {
  return contender.kind === 'election' ? `the name '${contender.election.name}'` : `the group '${contender.group.name}'`
}

function invalid(what: string): SimbaError {
  return new SimbaError('INVALID_OPTION', `${what}.`)
}
