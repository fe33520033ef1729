/** Stops being a member of a group. */
import { groups } from './shared/groups.ts'
import { numbers } from './shared/numbers.ts'
import { caller, record } from './shared/record.ts'

export const leave = /* lua */ `
${record}
${caller}
${numbers}
${groups}
local group, number = ARGV[2], tonumber(ARGV[3])
if isStale('group:' .. group, number) then return {'stale'} end
depart(me, group)
tellMembers()
return {'left'}
`
