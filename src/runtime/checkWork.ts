/** Leader work that cannot be run is refused when it is declared, not when its first term begins. */
import { SimbaError } from '../model/errors.ts'
import { isExecutor } from './executors/executor.ts'

export function checkWork(work: unknown): void {
  if (typeof work === 'function' || isExecutor(work)) return
  if (typeof work === 'object' && work !== null && 'transition' in work && 'getInitialSnapshot' in work) return
  throw new SimbaError(
    'INVALID_OPTION',
    `The work is ${String(work)}; allowed is a function of a term, an XState actor logic, workerThread() or command().`,
  )
}
