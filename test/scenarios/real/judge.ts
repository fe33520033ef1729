/** Judges the merged log of several nodes from outside: what must hold whatever was killed, stopped, frozen or forgotten. */
import type { Line } from './orders.ts'
import { endOf, type Reign, reignsOf } from './reigns.ts'

/**
 * Where a store forgets by an operator's act, terms may overlap that begin in this span of time, or ever; what is left is that a term has
 * a greater token than those that were over when it began.
 */
export interface Indulgence {
  readonly overlaps?: boolean | readonly Span[]
}

export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/** In plain words; none in a sound log. */
export function findFaults(lines: readonly Line[], { overlaps = false }: Indulgence = {}): readonly string[] {
  const reigns = reignsOf(lines)
  const mayOverlap = ({ startedMs }: Reign) =>
    typeof overlaps === 'boolean'
      ? overlaps
      : overlaps.some(({ fromMs, toMs }) => startedMs >= fromMs && startedMs <= toMs)
  return [
    ...groupBy(reigns, ({ lease }) => lease).flatMap((ofLease) => [
      ...findOverlaps(ofLease, mayOverlap),
      ...findTokensThatDoNotGrow(ofLease, mayOverlap),
    ]),
    ...findSharedTokens(reigns),
    ...reigns.flatMap(findDisorder),
    ...findRepetitions(lines),
    ...lines.flatMap((line) =>
      line.type === 'log' && line.level === 'error' ? [`${line.node}: ${line.message}`] : [],
    ),
  ]
}

const name = ({ node, lease, token }: Reign) => `term ${token} of ${lease} on ${node}`

function findOverlaps(reigns: readonly Reign[], mayOverlap: (reign: Reign) => boolean): readonly string[] {
  const faults: string[] = []
  let latest: Reign | undefined
  for (const reign of reigns) {
    if (latest && reign.startedMs < endOf(latest) && !mayOverlap(reign)) {
      const byMs = (endOf(latest) - reign.startedMs).toFixed(1)
      faults.push(`${name(reign)} began ${byMs} ms before the end of ${name(latest)}`)
    }
    if (!latest || endOf(reign) > endOf(latest)) latest = reign
  }
  return faults
}

function findTokensThatDoNotGrow(reigns: readonly Reign[], mayOverlap: (reign: Reign) => boolean): readonly string[] {
  const faults: string[] = []
  let greatest: Reign | undefined
  for (const reign of reigns) {
    // Of two that overlap, the one that was granted first may begin last.
    const before = mayOverlap(reign) ? greatestOf(reigns.filter((other) => endOf(other) <= reign.startedMs)) : greatest
    if (before && reign.token <= before.token) faults.push(`${name(reign)} came after ${name(before)}`)
    greatest = greatestOf([reign, ...(greatest ? [greatest] : [])])
  }
  return faults
}

function greatestOf(reigns: readonly Reign[]): Reign | undefined {
  return reigns.reduce<Reign | undefined>((best, reign) => (best && best.token > reign.token ? best : reign), undefined)
}

function findSharedTokens(reigns: readonly Reign[]): readonly string[] {
  return groupBy(reigns, ({ token }) => token)
    .filter((sharers) => sharers.length > 1)
    .map((sharers) => `one token for ${sharers.map(name).join(' and ')}`)
}

/** Interrupt, exit of the work, end of the term, release: in this order, as far as they came. */
function findDisorder(reign: Reign): readonly string[] {
  const { startedMs, revokedMs, leftMs, endedMs, handedOverMs } = reign
  const faults: string[] = []
  const steps = [startedMs, revokedMs, leftMs, endedMs, handedOverMs].filter((atMs) => atMs !== undefined)
  // Work that time has run out on may leave later.
  const isInTime = leftMs === undefined || leftMs <= reign.deadlineMs
  if (isInTime && steps.some((atMs, index) => atMs < (steps[index - 1] ?? 0))) {
    faults.push(`${name(reign)} did not end in order: ${JSON.stringify(reign)}`)
  }
  if (endedMs !== undefined && revokedMs === undefined) faults.push(`${name(reign)} ended without having been revoked`)
  return faults
}

const ONCE = ['term.started', 'term.revoked', 'term.ended', 'work.started', 'work.completed', 'handover.completed']

function findRepetitions(lines: readonly Line[]): readonly string[] {
  const seen = new Set<string>()
  return lines.flatMap((line) => {
    if (!ONCE.includes(line.type) || !('token' in line)) return []
    const run = 'run' in line ? ` (run ${line.run})` : ''
    const key = `${line.type}${run} of term ${line.token} of ${line.lease} on ${line.node}`
    if (seen.has(key)) return [`twice: ${key}`]
    seen.add(key)
    return []
  })
}

function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): readonly (readonly T[])[] {
  const groups = new Map<K, T[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return [...groups.values()]
}
