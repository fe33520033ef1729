/** A partition is taken from a member only when a view that this member has seen gives it to another one. */

import type { MembersAnswer } from '../../../src/backends/port.ts'
import { assign } from '../../../src/model/assignment/assignment.ts'
import type { Checker } from './checker.ts'

export const partitionsStay: Checker = (cluster, report) => {
  /** Every view that the store has told a node of, since the node's last term of the partition began. */
  const views = new Map<
    string,
    { readonly atMs: number; readonly session: string; readonly owners: readonly (string | null)[] }[]
  >()

  return (fact) => {
    if (fact.type === 'executed' && fact.executed.method === 'members') {
      const { node, session, args, answer } = fact.executed
      const seen = answer as MembersAnswer | undefined
      const duty = cluster.plan.duties.find(({ name }) => name === args[0])
      if (seen?.kind !== 'members' || !duty?.partitions) return
      const owners = assign({ group: duty.name, partitions: duty.partitions, balance: duty.balance }, seen.members)
      const key = `${node} ${duty.name}`
      views.set(key, [...(views.get(key) ?? []), { atMs: cluster.nowMs, session, owners }])
    }
    if (fact.type === 'term.revoked' && fact.term.revoked?.reason === 'moved') {
      const { node, duty, partition, startedAtMs, lease, token } = fact.term
      // The view that gave the partition away may have been under way when the term began.
      const recent = views.get(`${node.name} ${duty.name}`)?.filter(({ atMs }) => atMs > startedAtMs - 5_000) ?? []
      if (!recent.some(({ session, owners }) => owners[partition!] !== session))
        report(`Term ${token} of ${lease} on ${node.name} was moved, and no view has given it to another member.`)
    }
  }
}
