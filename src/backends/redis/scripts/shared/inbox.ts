/** What waits for a session. It is read, not taken, so that a lost answer loses nothing. */
export const inbox = /* lua */ `
local function readInbox()
  local versions = {}
  for _, group in ipairs(redis.call('SMEMBERS', groupsKey(me))) do
    versions[#versions + 1] = group
    versions[#versions + 1] = redis.call('HGET', groupKey(group), 'version')
  end
  return redis.call('SMEMBERS', inboxKey(me)), versions
end
`
