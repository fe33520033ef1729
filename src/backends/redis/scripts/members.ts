/** The live members of a group and what they announce. */
import { groups } from './shared/groups.ts'
import { caller, record } from './shared/record.ts'

export const members = /* lua */ `
${record}
${caller}
${groups}
local group = ARGV[2]
local found = {}
for _, member in ipairs(membersOf(group)) do
  if alive(member.session) then
    found[#found + 1] = {member.session, redis.call('HGET', sessionKey(member.session), 'node'), member.entry}
  end
end
-- A group that is gone had an earlier version than this, and will have a later one.
local version = redis.call('HGET', groupKey(group), 'version') or redis.call('HGET', root, 'version') or 0
return {'members', tonumber(version), found}
`
