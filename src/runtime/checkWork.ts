/** Leader work that cannot be run is refused when it is declared, not when its first term begins. */
import { SimbaError } from '../model/errors.ts'

export function checkWork(work: unknown): void {
  if (typeof work === 'function') return
  if (typeof work === 'object' && work !== null && 'transition' in work && 'getInitialSnapshot' in work) return
  throw new SimbaError(
    'INVALID_OPTION',
    `The work is ${String(work)}; allowed is a function of a term, or an XState actor logic.`,
  )
}
