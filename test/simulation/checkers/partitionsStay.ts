/**
 * A partition moves only as views have it: a member contends for what a view has given to it, and hands over what a view has given to
 * another. Who leaves says so before it gives back anything.
 */
import type { MembersAnswer } from '../../../src/backends/port.ts'
import { assign } from '../../../src/model/assignment/assignment.ts'
import type { Executed } from '../../../src/testing.ts'
import type { SeenTerm } from '../facts.ts'
import { dutyOf, LEASE_MS } from '../plan.ts'
import type { Checker } from './checker.ts'

interface View {
  readonly atMs: number
  readonly owners: readonly (string | null)[]
}

/** The view that gave the partition away may have been under way when the term began. */
const UNDER_WAY_MS = 5_000

export const partitionsStay: Checker = (cluster, report) => {
  /** Every view that the store has told a session of. */
  const views = new Map<string, View[]>()
  /** Which sessions have left which groups. */
  const left = new Set<string>()

  function noteView({ session, args, answer }: Executed): void {
    const seen = answer as MembersAnswer | undefined
    const duty = cluster.plan.duties.find(({ name }) => name === args[0])
    if (seen?.kind !== 'members' || !duty?.partitions) return
    const owners = assign({ group: duty.name, partitions: duty.partitions, balance: duty.balance }, seen.members)
    const key = `${session} ${duty.name}`
    views.set(key, [...(views.get(key) ?? []), { atMs: cluster.nowMs, owners }])
  }

  function campaigns({ session, args, node }: Executed): void {
    const lease = args[0] as string
    const duty = dutyOf(cluster.plan, lease)
    if (!duty.partitions) return
    const partition = Number(lease.slice(duty.name.length + 1))
    const given = views.get(`${session} ${duty.name}`)?.some(({ owners }) => owners[partition] === session)
    if (!given) report(`${node} campaigns for ${lease}, which no view has given to it.`)
  }

  function moved({ node, duty, partition, startedAtMs, lease, token }: SeenTerm): void {
    const { session } = cluster.book.grant(token)!
    const recent = views.get(`${session} ${duty.name}`)?.filter(({ atMs }) => atMs > startedAtMs - UNDER_WAY_MS) ?? []
    if (!recent.some(({ owners }) => owners[partition!] !== session))
      report(`Term ${token} of ${lease} on ${node.name} was moved, and no view has given it to another member.`)
  }

  /** Where nothing is wrong, the others hear of it first. */
  function stopped({ node, duty, lease, token }: SeenTerm): void {
    const { session } = cluster.book.grant(token)!
    const isFair = cluster.fairSinceMs(node) < cluster.nowMs - LEASE_MS
    if (duty.partitions && isFair && !left.has(`${session} ${duty.name}`))
      report(`${node.name} is told to end term ${token} of ${lease}, and has not left its group.`)
  }

  return (fact) => {
    if (fact.type === 'executed') {
      const { method, session, args } = fact.executed
      if (method === 'members') noteView(fact.executed)
      if (method === 'campaign') campaigns(fact.executed)
      if (method === 'join') left.delete(`${session} ${args[0]}`)
      if (method === 'leave') left.add(`${session} ${args[0]}`)
    }
    if (fact.type !== 'term.revoked') return
    if (fact.term.revoked?.reason === 'moved') moved(fact.term)
    if (fact.term.revoked?.reason === 'stopped') stopped(fact.term)
  }
}
