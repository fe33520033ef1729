/** Judges what the sink has against the merged log: what a fence is for, and that nothing is lost or doubled. */
import type { Span } from '../real/judge.ts'
import type { Line } from '../real/orders.ts'
import { endOf, type Reign, reignsOf } from '../real/reigns.ts'
import type { Accepted } from '../real/sink.ts'

export interface Evidence {
  readonly lines: readonly Line[]
  readonly accepted: readonly Accepted[]
  /** Nodes that may have written what they could not log any more. */
  readonly killed: ReadonlySet<string>
  /** Where terms may overlap, writes of a valid one may be refused. */
  readonly overlaps: readonly Span[]
}

type WriteLine = Line & { readonly type: 'write' }

/** In plain words; none in a sound log. */
export function findWriteFaults({ lines, accepted, killed, overlaps }: Evidence): readonly string[] {
  const written = lines.filter((line): line is WriteLine => line.type === 'write')
  const reigns = new Map(reignsOf(lines).map((reign) => [keyOf(reign), reign]))
  return [
    ...findDisorder(accepted),
    ...findStrangers(accepted, reigns),
    ...findDifferences(written, accepted, killed),
    ...written.flatMap((line) => findLateness(line, reigns.get(keyOf(line)), overlaps)),
  ]
}

function findDisorder(accepted: readonly Accepted[]): readonly string[] {
  const newest = new Map<string, number>()
  return accepted.flatMap(({ place, lease, token }) => {
    const before = newest.get(lease) ?? 0
    newest.set(lease, Math.max(before, token))
    return token < before
      ? [`write ${place} of ${lease} with token ${token} was accepted after one with ${before}`]
      : []
  })
}

function findStrangers(accepted: readonly Accepted[], reigns: ReadonlyMap<string, Reign>): readonly string[] {
  return accepted.flatMap(({ place, ...write }) =>
    reigns.has(keyOf(write)) ? [] : [`write ${place} is of term ${keyOf(write)}, which never began`],
  )
}

/** Between what nodes say that they have written, and what is there. */
function findDifferences(
  written: readonly WriteLine[],
  accepted: readonly Accepted[],
  killed: ReadonlySet<string>,
): readonly string[] {
  const faults: string[] = []
  const told = new Set<number>()
  const there = new Map(accepted.map((write) => [write.place, write]))
  for (const line of written) {
    if (typeof line.answer !== 'number') continue
    if (told.has(line.answer)) faults.push(`write ${line.answer} was accepted twice`)
    told.add(line.answer)
    const found = there.get(line.answer)
    if (!found || keyOf(found) !== keyOf(line)) faults.push(`write ${line.answer} of ${keyOf(line)} is lost`)
  }
  for (const { place, ...write } of accepted) {
    if (!told.has(place) && !killed.has(write.node)) faults.push(`write ${place} of ${keyOf(write)} was made by nobody`)
  }
  return faults
}

/** Well-behaved work writes while its term says that it is valid; a fence may refuse it only when that was over at the end of the write. */
function findLateness(line: WriteLine, reign: Reign | undefined, overlaps: readonly Span[]): readonly string[] {
  if (!reign) return [`a write of term ${keyOf(line)}, which never began`]
  const { deadlineMs, revokedMs = Number.POSITIVE_INFINITY } = reign
  const lateMs = line.beganMs - Math.min(deadlineMs, revokedMs)
  const what = `a write of term ${keyOf(reign)}`
  if (lateMs > 0) return [`${what} began ${lateMs.toFixed(1)} ms after the term's end`]
  const mayBeRefused = overlaps.some(({ fromMs, toMs }) => line.atMs >= fromMs && reign.startedMs <= toMs)
  if (line.answer === 'refused' && line.atMs < endOf(reign) && !mayBeRefused) return [`${what} was refused in its term`]
  return []
}

function keyOf({
  lease,
  token,
  node,
}: {
  readonly lease: string
  readonly token: number
  readonly node: string
}): string {
  return `${token} of ${lease} on ${node}`
}
