/** Becomes a member of a group, or changes what the member announces. */
import { groups } from './shared/groups.ts'
import { numbers } from './shared/numbers.ts'
import { caller, record } from './shared/record.ts'
import { server } from './shared/server.ts'

export const join = /* lua */ `
${record}
${caller}
${server}
${numbers}
${groups}
-- An entry begins with its number of partitions.
local group, entry, number = ARGV[2], ARGV[3], tonumber(ARGV[4])
local function partitionsOf(anEntry) return tonumber(string.match(anEntry, '^%d+')) end

if isStale('group:' .. group, number) then return {'stale'} end
identify(tonumber(redis.call('HGET', sessionKey(me), 'leaseDurationMs')))

local other
for _, member in ipairs(membersOf(group)) do
  local differs = member.session ~= me and partitionsOf(member.entry) ~= partitionsOf(entry)
  if differs and (not other or member.session < other.session) and alive(member.session) then other = member end
end
if other then
  depart(me, group)
  tellMembers()
  return {'mismatch', partitionsOf(other.entry)}
end

if redis.call('HGET', groupKey(group), me) ~= entry then
  redis.call('HSET', groupKey(group), me, entry)
  redis.call('SADD', groupsKey(me), group)
  changed[group] = true
  tellMembers(me)
end
return {'joined'}
`
