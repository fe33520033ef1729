/** Judges the log of the contenders from outside: who held what, when, and with which token. */

interface Term {
  readonly pid: string
  readonly token: number
}

/**
 * The lines in the order in which they were written: `alive pid atMs`, `begin lease token pid atMs`, `end lease token pid atMs`.
 * A begin is written after the grant and an end before the release, so in a sound log no two terms of a lease overlap but where the
 * first one's process was killed, and then only after its last renewal has run out.
 */
export function findFaults(
  lines: readonly string[],
  killed: ReadonlySet<string>,
  leaseDurationMs: number,
): readonly string[] {
  const faults: string[] = []
  const aliveMs = new Map<string, number>()
  const open = new Map<string, Term>()
  const tokens = new Map<string, number>()
  const everyToken = new Set<number>()
  for (const line of lines) {
    const [kind, ...words] = line.split(' ')
    if (kind === 'alive') {
      aliveMs.set(words[0]!, Number(words[1]))
      continue
    }
    const [lease, token, pid, atMs] = [words[0]!, Number(words[1]), words[2]!, Number(words[3])]
    const before = open.get(lease)
    if (kind === 'end') {
      if (before?.token !== token) faults.push(`${line}: ended, but the open term is ${JSON.stringify(before)}`)
      open.delete(lease)
      continue
    }
    if (before !== undefined) {
      const endMs = aliveMs.get(before.pid)! + leaseDurationMs
      if (!killed.has(before.pid) || atMs < endMs) faults.push(`${line}: overlaps with ${JSON.stringify(before)}`)
    }
    if (token <= (tokens.get(lease) ?? 0)) faults.push(`${line}: the token before was ${tokens.get(lease)}`)
    if (everyToken.has(token)) faults.push(`${line}: the token was given before`)
    everyToken.add(token)
    tokens.set(lease, token)
    open.set(lease, { pid, token })
  }
  return faults
}
