/** Everything that is wrong with some declarations, told in one error. */
import { plainError, SimbaError } from '../model/errors.ts'

export class Mistakes {
  readonly #lines: string[] = []
  readonly #errors: unknown[] = []

  /** Returns what `read` returns; what it throws is kept as a mistake of `where`. */
  of<T>(where: string, read: () => T): T | undefined {
    try {
      return read()
    } catch (error) {
      this.#errors.push(error)
      this.#lines.push(`${where}: ${plainError(error).message}`)
      return undefined
    }
  }

  throwIfAny(): void {
    const [first, ...others] = this.#errors
    if (first === undefined) return
    const areTaken = this.#errors.every((error) => error instanceof SimbaError && error.code === 'ALREADY_STARTED')
    const code = areTaken ? 'ALREADY_STARTED' : 'INVALID_OPTION'
    const cause = others.length === 0 ? first : new AggregateError(this.#errors)
    throw new SimbaError(code, this.#lines.join('\n'), { cause })
  }
}
