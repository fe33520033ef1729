/** Which failures of leader work are not worth another try on this node. */
import type { Logger } from '../model/logger.ts'

const FATAL_CODES = new Set(['FATAL_WORK', 'ERR_WORKER_OUT_OF_MEMORY', 'ERR_WORKER_TERMINATED'])

/** `FatalWorkError`, a worker thread that ran out of memory or was terminated, and memory that could not be had here. */
export function isFatalByDefault(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // An error that has come from another thread has kept its name alone.
  if (error.name === 'RangeError') return /allocation failed|out of memory/i.test(error.message)
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' && FATAL_CODES.has(code)
}

/** An `isFatal` of a user's own, which must not fail itself: the work's end would never be told. */
export function guardedIsFatal(isFatal: (error: unknown) => boolean, logger: Logger): (error: unknown) => boolean {
  return (error) => {
    try {
      return isFatal(error) === true
    } catch (thrown) {
      logger.error({ err: thrown }, 'The option isFatal has thrown; the failure counts as one that is not fatal.')
      return false
    }
  }
}
