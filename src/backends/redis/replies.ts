/** What the scripts reply, read as the answers of the port. A reply of another shape is a fault of the store, not an answer. */
import { SimbaError } from '../../model/errors.ts'
import type {
  CampaignAnswer,
  Grant,
  Inbox,
  JoinAnswer,
  Leader,
  LeaveAnswer,
  LookAnswer,
  Member,
  MemberEntry,
  MembersAnswer,
  ReleaseAnswer,
  RenewAnswer,
  WithdrawAnswer,
} from '../port.ts'
import { type Findings, ledForMs } from '../survey.ts'

export type OpenReply =
  | { readonly kind: 'opened'; readonly epoch: number; readonly run: string }
  | { readonly kind: 'ended' }

export function readOpen(reply: unknown): OpenReply {
  const [kind, epoch, run] = list(reply)
  return kind === 'opened' ? { kind, epoch: count(epoch), run: text(run) } : { kind: oneOf(kind, 'ended') }
}

export function readRenew(reply: unknown): { readonly answer: RenewAnswer; readonly run?: string } {
  const [kind, freed, versions, nextExpiryInMs, epoch, run, holds] = list(reply)
  if (kind !== 'renewed') return { answer: { kind: oneOf(kind, 'unknown') } }
  const next = count(nextExpiryInMs)
  const answer: RenewAnswer = {
    kind: 'renewed',
    inbox: inbox(freed, versions),
    nextExpiryInMs: next < 0 ? null : next,
    epoch: count(epoch),
  }
  return { answer: holds === null ? answer : { ...answer, holds: grants(holds) }, run: text(run) }
}

export function readLook(reply: unknown): LookAnswer {
  const [kind, freed, versions] = list(reply)
  return kind === 'inbox' ? { kind, inbox: inbox(freed, versions) } : { kind: oneOf(kind, 'unknown') }
}

export function readCampaign(reply: unknown): CampaignAnswer {
  const [kind, value] = list(reply)
  switch (kind) {
    case 'granted':
      return { kind, token: count(value) }
    case 'held':
      return { kind, holder: text(value) }
    case 'quarantined':
      return { kind, retryInMs: count(value) }
    default:
      return { kind: oneOf(kind, 'stale', 'unknown') }
  }
}

export function readWithdraw(reply: unknown): WithdrawAnswer {
  return { kind: oneOf(list(reply)[0], 'withdrawn', 'stale', 'unknown') }
}

export function readRelease(reply: unknown): ReleaseAnswer {
  return { kind: oneOf(list(reply)[0], 'released', 'not-held', 'stale', 'unknown') }
}

export function readJoin(reply: unknown): JoinAnswer {
  const [kind, partitions] = list(reply)
  return kind === 'mismatch'
    ? { kind, partitions: count(partitions) }
    : { kind: oneOf(kind, 'joined', 'stale', 'unknown') }
}

export function readLeave(reply: unknown): LeaveAnswer {
  return { kind: oneOf(list(reply)[0], 'left', 'stale', 'unknown') }
}

export function readMembers(reply: unknown): MembersAnswer {
  const [kind, version, found] = list(reply)
  if (kind !== 'members') return { kind: oneOf(kind, 'unknown') }
  const members = list(found).map((item): Member => {
    const [session, node, entry] = list(item)
    return { session: text(session), node: text(node), ...parseEntry(text(entry)) }
  })
  return { kind, version: count(version), members: members.sort((a, b) => (a.session < b.session ? -1 : 1)) }
}

export function readLeaders(reply: unknown): readonly (Leader | null)[] {
  return list(reply).map((item) => {
    if (item === null) return null
    const [node, token] = list(item)
    return { node: text(node), token: count(token) }
  })
}

export function readFindings(reply: unknown): Findings {
  const [holds, places, memberships, nowMs] = list(reply)
  const inLine = list(places).map((item) => {
    const [session, node, lease, place] = list(item)
    return { lease: text(lease), contender: { session: text(session), node: text(node) }, place: count(place) }
  })
  return {
    holds: list(holds).map((item) => {
      const [session, node, lease, score] = list(item)
      const token = count(score)
      const holder = { session: text(session), node: text(node), token, ledForMs: ledForMs(token, count(nowMs)) }
      return { lease: text(lease), holder }
    }),
    places: inLine.sort((one, other) => one.place - other.place),
    memberships: list(memberships).map((item) => {
      const [session, node, group, entry] = list(item)
      return { group: text(group), member: { session: text(session), node: text(node), ...parseEntry(text(entry)) } }
    }),
  }
}

export function readDescription(reply: unknown): { readonly run: string; readonly evictionPolicy: string } {
  const [run, evictionPolicy] = list(reply)
  return { run: text(run), evictionPolicy: text(evictionPolicy) }
}

/** An entry as the store keeps it: `16` or `16 3,5`, which `join` compares as it is. */
export function formatEntry({ partitions, resting }: MemberEntry): string {
  return resting.length === 0 ? `${partitions}` : `${partitions} ${resting.join(',')}`
}

function parseEntry(entry: string): MemberEntry {
  const [partitions, resting] = entry.split(' ')
  return { partitions: Number(partitions), resting: resting === undefined ? [] : resting.split(',').map(Number) }
}

function inbox(freed: unknown, versions: unknown): Inbox {
  const groups = pairs(versions).map(([group, version]) => [group, count(version)])
  return { freed: list(freed).map(text), groups: Object.fromEntries(groups) }
}

function grants(holds: unknown): readonly Grant[] {
  return pairs(holds).map(([lease, token]) => ({ lease, token: count(token) }))
}

function pairs(reply: unknown): (readonly [string, unknown])[] {
  const items = list(reply)
  return items.flatMap((item, index) => (index % 2 === 0 ? [[text(item), items[index + 1]] as const] : []))
}

function list(reply: unknown): readonly unknown[] {
  return Array.isArray(reply) ? reply : unexpected(reply)
}

function text(reply: unknown): string {
  return typeof reply === 'string' ? reply : unexpected(reply)
}

/** Integers come as numbers, or as the digits that they are stored in. */
function count(reply: unknown): number {
  const number = typeof reply === 'string' ? Number(reply) : reply
  return Number.isSafeInteger(number) ? (number as number) : unexpected(reply)
}

function oneOf<const Kind extends string>(reply: unknown, ...kinds: readonly Kind[]): Kind {
  return kinds.find((kind) => kind === reply) ?? unexpected(reply)
}

function unexpected(reply: unknown): never {
  throw new SimbaError('BACKEND_UNAVAILABLE', `Redis answered with something unexpected: ${JSON.stringify(reply)}`)
}
