/** Which failures of leader work are not worth another try on this node. */

const FATAL_CODES = new Set(['FATAL_WORK', 'ERR_WORKER_OUT_OF_MEMORY', 'ERR_WORKER_TERMINATED'])

/** `FatalWorkError`, a worker thread that ran out of memory or was terminated, and memory that could not be had here. */
export function isFatalByDefault(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof RangeError) return /allocation failed|out of memory/i.test(error.message)
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' && FATAL_CODES.has(code)
}
