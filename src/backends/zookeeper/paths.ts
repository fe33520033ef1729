/** Where everything is in ZooKeeper. */

export interface Paths {
  /** Below it is everything that the namespace has. */
  readonly root: string
  /** What is created with the root, and stays. */
  readonly parents: readonly string[]
  /** The folders of what `holder`, `line` and `group` name. */
  readonly holders: string
  readonly lines: string
  readonly groups: string
  /** An ephemeral node for each session. */
  session(session: string): string
  /** An ephemeral node while somebody holds the lease. */
  holder(lease: string): string
  /** A container while somebody waits for the lease; its children are the candidates. */
  line(lease: string): string
  /** A container while somebody is in the group; its only child has the number of partitions for its name, and the members for children. */
  group(group: string): string
}

/** Names may be anything; the result never is `.`, `..`, empty or of more than one part, and no two names have the same. */
export function encodeName(name: string): string {
  const encoded = name.replace(/[^A-Za-z0-9._:-]|^\./gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  )
  return encoded === '' ? '%' : encoded
}

/** The name again; null for what nobody here has encoded. */
export function decodeName(encoded: string): string | null {
  if (encoded === '%') return ''
  try {
    return decodeURIComponent(encoded)
  } catch {
    return null
  }
}

export function pathsIn(chroot: string, namespace: string): Paths {
  const root = `${chroot}/simba/${encodeName(namespace)}`
  const sessions = `${root}/sessions`
  const holders = `${root}/holders`
  const lines = `${root}/lines`
  const groups = `${root}/groups`
  return {
    root,
    parents: [sessions, holders, lines, groups],
    holders,
    lines,
    groups,
    session: (session) => `${sessions}/${session}`,
    holder: (lease) => `${holders}/${encodeName(lease)}`,
    line: (lease) => `${lines}/${encodeName(lease)}`,
    group: (group) => `${groups}/${encodeName(group)}`,
  }
}

/** The paths above this one, from the top. */
export function ancestors(path: string): readonly string[] {
  const parts = path.split('/').slice(1, -1)
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`)
}

/** What a candidate's name begins with; the server appends its place. */
export function candidatePrefix(session: string): string {
  return `${session}-`
}

export function sessionOf(candidate: string): string {
  return candidate.slice(0, candidate.indexOf('-'))
}

/** The candidates in the order in which they came. */
export function inOrder(candidates: readonly string[]): readonly string[] {
  // The server counts in 32 bits, and goes on from the smallest number after the greatest.
  return [...candidates].sort((one, other) => (placeOf(one) - placeOf(other)) | 0)
}

function placeOf(candidate: string): number {
  return Number(candidate.slice(candidate.indexOf('-') + 1))
}
