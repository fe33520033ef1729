/** `${name}` and `${name:default}` in the attributes of a declaration. What is filled in is taken as it is, and not searched for placeholders again. */
import { plainError, SimbaError } from '../model/errors.ts'

/** The value of a name, or `undefined` where it has none. */
export type Resolve = (name: string) => unknown

export function checkResolve(resolve: unknown): Resolve {
  if (typeof resolve === 'function') return resolve as Resolve
  throw invalid(`resolve is ${String(resolve)}; allowed is a function of a name`)
}

const NAME = /^[A-Za-z_][\w.-]*$/

/**
 * The variable of the environment: `${billing.partitions}` is `billing.partitions`, or else `BILLING_PARTITIONS`, since few shells can
 * set the former.
 */
export function fromEnvironment(name: string): string | undefined {
  return process.env[name] ?? process.env[variableOf(name)]
}

export function variableOf(name: string): string {
  return name.replaceAll(/[.-]/g, '_').toUpperCase()
}

/**
 * The text with its placeholders filled in. One that is nothing but a placeholder becomes its value, which may be a number. Throws
 * `INVALID_OPTION` where a value is missing, with the attribute and the placeholder.
 */
export function fill(attribute: string, text: string, resolve: Resolve): unknown {
  const parts = split(attribute, text).map((part) =>
    typeof part === 'string' ? part : valueFor(attribute, part, resolve),
  )
  return parts.length === 1 ? parts[0] : parts.join('')
}

interface Placeholder {
  /** As it was written. */
  readonly text: string
  readonly name: string
  /** May have placeholders itself. */
  readonly fallback: string | undefined
}

function valueFor(attribute: string, { text, name, fallback }: Placeholder, resolve: Resolve): unknown {
  const value = ask(attribute, text, () => resolve(name))
  if (value !== undefined && value !== null) return value
  if (fallback !== undefined) return fill(attribute, fallback, resolve)
  const names = resolve === fromEnvironment ? `${name} or ${variableOf(name)} in the environment` : name
  throw invalid(`${attribute}: ${text} has no value; set ${names}, or give a default, as in \${${name}:…}`)
}

function ask<T>(attribute: string, text: string, resolve: () => T): T {
  try {
    return resolve()
  } catch (cause) {
    throw invalid(`${attribute}: ${text} could not be resolved: ${plainError(cause).message}`, cause)
  }
}

function split(attribute: string, text: string): readonly (string | Placeholder)[] {
  const parts: (string | Placeholder)[] = []
  let end = 0
  for (let start = text.indexOf('${'); start >= 0; start = text.indexOf('${', end)) {
    if (start > end) parts.push(text.slice(end, start))
    const close = closingBrace(attribute, text, start)
    parts.push(placeholder(attribute, text.slice(start, close + 1)))
    end = close + 1
  }
  if (end < text.length || end === 0) parts.push(text.slice(end))
  return parts
}

/** A default may have placeholders, so braces are counted. */
function closingBrace(attribute: string, text: string, start: number): number {
  let depth = 0
  for (let index = start; index < text.length; index++) {
    if (text.startsWith('${', index)) depth += 1
    else if (text[index] === '}') depth -= 1
    if (depth === 0 && text[index] === '}') return index
  }
  throw invalid(`${attribute}: ${text.slice(start)} has no closing brace`)
}

function placeholder(attribute: string, text: string): Placeholder {
  const [, name = '', fallback] = /^\$\{([^:]*?)(?::(.*))?\}$/s.exec(text) ?? []
  if (NAME.test(name)) return { text, name, fallback }
  throw invalid(
    `${attribute}: ${text} is no placeholder; a name begins with a letter, and goes on with letters, digits, '.', '_' and '-'`,
  )
}

function invalid(what: string, cause?: unknown): SimbaError {
  return new SimbaError('INVALID_OPTION', `${what}.`, cause === undefined ? undefined : { cause })
}
