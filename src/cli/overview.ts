/** What `simba status` shows: a survey with the leases of groups put where they belong. Plain data, which `--json` prints as it is. */
import { partitionOf } from '../model/names.ts'
import type { Contender, Survey, SurveyedGroup, SurveyedHolder, SurveyedLease } from '../model/survey.ts'

export interface Overview {
  readonly store: string
  readonly namespace: string
  /** Those that are no partitions. */
  readonly leases: readonly SurveyedLease[]
  readonly groups: readonly GroupOverview[]
  /** False where there is more than is shown. */
  readonly isWhole: boolean
}

export interface GroupOverview {
  readonly group: string
  readonly partitions: number
  readonly members: readonly MemberOverview[]
  /** Partitions that nobody leads at the moment. */
  readonly unled: readonly number[]
  readonly leases: readonly PartitionOverview[]
}

export interface MemberOverview extends Contender {
  /** Those that it leads. */
  readonly partitions: readonly number[]
  /** Those that it stays away from for a while. */
  readonly resting: readonly number[]
}

export interface PartitionOverview {
  readonly partition: number
  readonly holder: SurveyedHolder | null
  readonly waiting: readonly Contender[]
}

export function overviewOf(survey: Survey, where: Pick<Overview, 'store' | 'namespace'>): Overview {
  const groups = survey.groups.map((group) => groupOverview(group, survey.leases))
  const isPartition = ({ lease }: SurveyedLease) =>
    groups.some(({ group, partitions }) => partitionOf(group, partitions, lease) !== null)
  return { ...where, leases: survey.leases.filter((lease) => !isPartition(lease)), groups, isWhole: survey.isWhole }
}

/** What is known of one lease or one group; `null` where nobody holds, wants or joins it. */
export function only(overview: Overview, name: string): Overview | null {
  const groups = overview.groups.filter(({ group }) => group === name)
  const leases = overview.leases.filter(({ lease }) => lease === name)
  for (const { group, partitions, leases: own } of overview.groups) {
    const partition = partitionOf(group, partitions, name)
    const found = own.find((lease) => lease.partition === partition)
    if (found) leases.push({ lease: name, holder: found.holder, waiting: found.waiting })
  }
  return groups.length + leases.length === 0 ? null : { ...overview, leases, groups }
}

/** Whether everything that is shown is led. */
export function isLed({ leases, groups }: Overview): boolean {
  return leases.every(({ holder }) => holder !== null) && groups.every(({ unled }) => unled.length === 0)
}

function groupOverview({ group, members }: SurveyedGroup, leases: readonly SurveyedLease[]): GroupOverview {
  const partitions = Math.max(...members.map((member) => member.partitions))
  const own = leases
    .map(({ lease, holder, waiting }) => ({ partition: partitionOf(group, partitions, lease), holder, waiting }))
    .filter((lease): lease is PartitionOverview => lease.partition !== null)
    .sort((one, other) => one.partition - other.partition)
  const led = new Map(own.map(({ partition, holder }) => [partition, holder?.session]))
  const all = Array.from({ length: partitions }, (_, partition) => partition)
  return {
    group,
    partitions,
    members: members.map(({ session, node, resting }) => ({
      session,
      node,
      partitions: all.filter((partition) => led.get(partition) === session),
      resting,
    })),
    unled: all.filter((partition) => led.get(partition) === undefined),
    leases: own,
  }
}
