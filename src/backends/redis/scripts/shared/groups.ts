/** Who is a member of which group, and who is told when that changes. */
export const groups = /* lua */ `
local changed = {}

local function depart(session, group)
  if redis.call('SREM', groupsKey(session), group) == 1 then
    redis.call('HDEL', groupKey(group), session)
    changed[group] = true
  end
end

local function membersOf(group)
  local members = {}
  local fields = redis.call('HGETALL', groupKey(group))
  for i = 1, #fields, 2 do
    if fields[i] ~= 'version' then members[#members + 1] = {session = fields[i], entry = fields[i + 1]} end
  end
  return members
end

-- Once a call and group, however many members have come and gone in it. A member that changed something itself need not be told.
-- All groups share one counter, so that a group's versions go on growing after its record was dropped with its last member.
local function tellMembers(except)
  for group in pairs(changed) do
    local members = membersOf(group)
    if #members == 0 then
      redis.call('DEL', groupKey(group))
    else
      redis.call('HSET', groupKey(group), 'version', redis.call('HINCRBY', root, 'version', 1))
      for _, member in ipairs(members) do
        if member.session ~= except then
          redis.call('PUBLISH', hintChannel(member.session), 'members.changed ' .. group)
        end
      end
    end
  end
end
`
