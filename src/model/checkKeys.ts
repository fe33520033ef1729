/** A misspelt option is an error, not a default. */
import { SimbaError } from './errors.ts'

/** Throws `INVALID_OPTION` where `options` is no object, or has a key that is not among the allowed ones. */
export function checkKeys(what: string, options: unknown, allowed: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    throw new SimbaError(
      'INVALID_OPTION',
      `The options of ${what} are ${String(options)}; allowed is an object with ${allowed.join(', ')}.`,
    )
  }
  for (const key of Object.keys(options)) {
    if (allowed.includes(key)) continue
    throw new SimbaError('INVALID_OPTION', `${what} has no option '${key}'; allowed are ${allowed.join(', ')}.`)
  }
}
