/** The decorated members of an object: how they are called in messages, and the leader work that they are. */
import { SimbaError } from '../model/errors.ts'
import type { Declaration, Member } from './declarations.ts'
import type { PartitionFunction, TermFunction } from './work.ts'

/** As in `Reports.report`. */
export function memberName(object: object, { kind, name }: Member): string {
  return kind === 'a class' ? classOf(object) : `${classOf(object)}.${String(name)}`
}

export function classOf(object: object): string {
  return object.constructor?.name || '(a class without a name)'
}

/**
 * Calls the method that the object has when a run starts: that of a class which extends the decorated one, or what a test has put in
 * its place. Throws `INVALID_OPTION` for what is no method, or takes other parameters than it will get.
 */
export function workOf(object: object, { decorator, member }: Declaration): PartitionFunction {
  if (member.kind !== 'method') {
    throw invalid(`@${decorator} is for public methods of an object, and this is ${member.kind}`)
  }
  const find = () => (object as Record<string | symbol, unknown>)[member.name]
  const present = find()
  if (typeof present !== 'function') {
    throw invalid(`@${decorator} is for methods, and the object has ${String(present)} in its place`)
  }
  checkParameters(decorator, member.method, present)
  return decorator === 'SimbaPartitioned'
    ? (term, partition) => (find() as PartitionFunction).call(object, term, partition)
    : (term) => (find() as TermFunction).call(object, term)
}

interface Parameters {
  readonly least: number
  readonly most: number
  readonly text: string
}

const TERM: Parameters = { least: 0, most: 1, text: 'no parameter or a single Term' }
const PARTITION: Parameters = { least: 2, most: 2, text: 'a Term and the number of the partition' }

/** What wraps the decorated method, or overrides it, need not tell its parameters; but it must not want more than it gets. */
function checkParameters(decorator: Declaration['decorator'], { length }: Counted, present: Counted): void {
  const { least, most, text } = decorator === 'SimbaPartitioned' ? PARTITION : TERM
  const wrong = length < least || length > most ? length : present.length > most ? present.length : undefined
  if (wrong === undefined) return
  throw invalid(
    `@${decorator} is for a method that takes ${text}, and this one takes ${wrong}, not counting a rest or what has a default`,
  )
}

interface Counted {
  readonly length: number
}

function invalid(what: string): SimbaError {
  return new SimbaError('INVALID_OPTION', `${what}.`)
}
