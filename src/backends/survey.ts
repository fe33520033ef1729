/** Surveys, put together from the facts that a store has read, for every store alike. */
import type { Contender, Member, Survey, SurveyedHolder } from './port.ts'

/** What was found of the living. `places` are in the order of each line. A store need not look for more than one too many of each. */
export interface Findings {
  readonly holds: readonly { readonly lease: string; readonly holder: SurveyedHolder }[]
  readonly places: readonly { readonly lease: string; readonly contender: Contender }[]
  readonly memberships: readonly { readonly group: string; readonly member: Member }[]
}

/** Of each kind of finding, at most so many count. */
export function surveyOf({ holds, places, memberships }: Findings, most: number): Survey {
  const leases = new Map<string, { lease: string; holder: SurveyedHolder | null; waiting: Contender[] }>()
  const at = (lease: string) => {
    const found = leases.get(lease) ?? { lease, holder: null, waiting: [] }
    leases.set(lease, found)
    return found
  }
  for (const { lease, holder } of holds.slice(0, most)) at(lease).holder = holder
  for (const { lease, contender } of places.slice(0, most)) at(lease).waiting.push(contender)

  const groups = new Map<string, { group: string; members: Member[] }>()
  for (const { group, member } of memberships.slice(0, most)) {
    const found = groups.get(group) ?? { group, members: [] }
    groups.set(group, found)
    found.members.push(member)
  }
  for (const { members } of groups.values()) members.sort((one, other) => order(one.session, other.session))
  return {
    leases: [...leases.values()].sort((one, other) => order(one.lease, other.lease)),
    groups: [...groups.values()].sort((one, other) => order(one.group, other.group)),
    isWhole: [holds, places, memberships].every(({ length }) => length <= most),
  }
}

/** How much a token may be ahead of the clock that it was taken from: of many in one microsecond, each is one greater. */
const LEAD_LIMIT_MS = 1_000

/** A token is at least the wall clock in microseconds, and no more unless that clock was set back. */
export function ledForMs(token: number, wallMs: number): number | null {
  const ms = Math.floor(wallMs - token / 1_000)
  return ms < -LEAD_LIMIT_MS ? null : Math.max(0, ms)
}

/** Not by the rules of any language: the same on every machine. */
function order(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
