/** What a stop that is under way waits for, in words, for a person who is waiting, too. */
import type { Core } from './core.ts'

export function stillWaitingFor({ root, runtime }: Core): readonly string[] {
  const found: string[] = []
  for (const { lease, token, isRevoked, remainingMs } of runtime.terms.all()) {
    if (isRevoked)
      found.push(`the work of '${lease}' to exit (token ${token}, at most ${Math.ceil(remainingMs)} ms more)`)
  }
  if (found.length > 0) return found
  const snapshot = root.getSnapshot()
  if (snapshot.matches({ active: { stopping: { order: 'closing' } } }))
    return ['the store to confirm the end of the session']
  if (snapshot.matches('active')) return ['the store to confirm that leases are released']
  return []
}
