/**
 * What the living hold and want, read for an operator. ZooKeeper has no single call for it: names come first, then what stands behind
 * them, in a few rounds of many reads. What changes meanwhile may be seen at one place and not yet at another.
 */
import type { Survey } from '../port.ts'
import { type Findings, surveyOf } from '../survey.ts'
import type { ZooKeeperClient } from './client/client.ts'
import { wasRefused } from './client/errors.ts'
import { decodeName, inOrder, type Paths, sessionOf } from './paths.ts'
import { readHolder, readMember, readNode, tokenOf } from './records.ts'
import { findRoot } from './root.ts'

type Client = Pick<ZooKeeperClient, 'children' | 'data' | 'sync'>

interface Hold {
  readonly lease: string
  readonly session: string
  readonly mzxid: bigint
  readonly sinceMs: number
}

interface Place {
  readonly lease: string
  readonly session: string
}

interface Membership {
  readonly group: string
  readonly session: string
  readonly path: string
}

interface Living {
  readonly node: string
  readonly seenMs: number
}

/** A server has by default a thousand requests open for all of its clients, and lets them wait beyond that. */
const MOST_AT_A_TIME = 200

export async function survey(client: Client, paths: Paths, most: number): Promise<Survey> {
  // Sent together, and done in this order: what is read is not older than the question.
  const [, base, leases, lines, groups] = await Promise.all([
    client.sync(paths.root),
    findRoot(client, paths),
    ...[paths.holders, paths.lines, paths.groups].map((folder) => namesIn(client, folder)),
  ])
  if (base === null) return surveyOf({ holds: [], places: [], memberships: [] }, most)
  const [holds, places, memberships] = await Promise.all([
    gather(leases!.slice(0, most), most, (lease) => readHold(client, paths, lease)),
    gather(lines!, most, (lease) => readLine(client, paths, lease)),
    gather(groups!, most, (group) => readGroup(client, paths, group)),
  ])
  const [living, members] = await Promise.all([
    readSessions(client, paths, [...holds, ...places.slice(0, most)]),
    gather(memberships.slice(0, most), most, (membership) => readMembership(client, membership)),
  ])
  const found: Findings = {
    ...among(living, base, holds, places.slice(0, most)),
    memberships: members,
  }
  // Some of the first may have left meanwhile; there were more all the same.
  return {
    ...surveyOf(found, most),
    isWhole: [leases!, places, memberships].every(({ length }) => length <= most),
  }
}

/** Whose session has ended since holds nothing, and stands in no line. */
function among(
  living: ReadonlyMap<string, Living>,
  base: number,
  holds: readonly Hold[],
  places: readonly Place[],
): Pick<Findings, 'holds' | 'places'> {
  // Nobody can ask the ensemble for its time. Each holder writes with each renewal, and what was written last was not long ago.
  const nowMs = [...living.values()].reduce((latest, { seenMs }) => Math.max(latest, seenMs), 0)
  const holderOf = new Map(holds.map(({ lease, session }) => [lease, session]))
  return {
    holds: holds.flatMap(({ lease, session, mzxid, sinceMs }) => {
      const found = living.get(session)
      if (!found) return []
      const ledForMs = Math.max(0, nowMs - sinceMs)
      return [{ lease, holder: { session, node: found.node, token: tokenOf(base, mzxid), ledForMs } }]
    }),
    places: places.flatMap(({ lease, session }) => {
      const found = living.get(session)
      // Who is granted a lease leaves its line with the same write: it was read on both sides of that.
      if (!found || holderOf.get(lease) === session) return []
      return [{ lease, contender: { session, node: found.node } }]
    }),
  }
}

async function readHold(client: Client, paths: Paths, lease: string): Promise<readonly Hold[]> {
  const found = await unlessGone(client.data(paths.holder(lease)))
  if (!found) return []
  const { mzxid, mtimeMs } = found.stat
  return [{ lease, session: readHolder(found.data), mzxid, sinceMs: mtimeMs }]
}

async function readLine(client: Client, paths: Paths, lease: string): Promise<readonly Place[]> {
  const found = await unlessGone(client.children(paths.line(lease)))
  return inOrder(found?.names ?? []).map((candidate) => ({ lease, session: sessionOf(candidate) }))
}

async function readGroup(client: Client, paths: Paths, group: string): Promise<readonly Membership[]> {
  const path = paths.group(group)
  const numbers = (await unlessGone(client.children(path)))?.names ?? []
  const members = numbers.map(async (partitions) => {
    const found = await unlessGone(client.children(`${path}/${partitions}`))
    return (found?.names ?? []).map((session) => ({ group, session, path: `${path}/${partitions}/${session}` }))
  })
  return (await Promise.all(members)).flat()
}

async function readMembership(client: Client, { group, session, path }: Membership): Promise<Findings['memberships']> {
  const found = await unlessGone(client.data(path))
  return found ? [{ group, member: { session, ...readMember(found.data) } }] : []
}

async function readSessions(
  client: Client,
  paths: Paths,
  wanted: readonly { readonly session: string }[],
): Promise<ReadonlyMap<string, Living>> {
  const sessions = [...new Set(wanted.map(({ session }) => session))]
  const living = await gather(sessions, sessions.length, async (session) => {
    const found = await unlessGone(client.data(paths.session(session)))
    return found ? [[session, { node: readNode(found.data), seenMs: found.stat.mtimeMs }] as const] : []
  })
  return new Map(living)
}

/** In the order of the names, so that what is left out of a large survey is the same each time. */
async function namesIn(client: Client, folder: string): Promise<readonly string[]> {
  const { names } = (await unlessGone(client.children(folder))) ?? { names: [] }
  return names.flatMap((name) => decodeName(name) ?? []).sort()
}

/** Reads until there is more than enough, many at a time. */
async function gather<Item, Found>(
  items: readonly Item[],
  enough: number,
  read: (item: Item) => Promise<readonly Found[]>,
): Promise<readonly Found[]> {
  const found: Found[] = []
  for (let at = 0; at < items.length && found.length <= enough; at += MOST_AT_A_TIME) {
    const batch = await Promise.all(items.slice(at, at + MOST_AT_A_TIME).map(read))
    for (const one of batch.flat()) found.push(one)
  }
  return found
}

/** What is there at one read may have left before the next one. */
async function unlessGone<A>(answer: Promise<A>): Promise<A | null> {
  try {
    return await answer
  } catch (error) {
    if (wasRefused(error, 'NoNode')) return null
    throw error
  }
}
