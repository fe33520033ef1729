/** What the living hold and want, for an operator: at most so many grants, places and memberships each, to be put together by whoever asked. */
import { record } from './shared/record.ts'

export const survey = /* lua */ `
${record}
local most = tonumber(ARGV[1])
local holds, places, memberships = {}, {}, {}
for _, session in ipairs(redis.call('ZRANGEBYSCORE', SESSIONS, '(' .. now, '+inf')) do
  local node = redis.call('HGET', sessionKey(session), 'node')
  local function add(found, ...)
    if #found < most then found[#found + 1] = {session, node, ...} end
  end
  local held = redis.call('ZRANGE', holdsKey(session), 0, most - 1, 'WITHSCORES')
  for i = 1, #held, 2 do add(holds, held[i], held[i + 1]) end
  if #places < most then
    for _, lease in ipairs(redis.call('SMEMBERS', standsKey(session))) do
      add(places, lease, redis.call('ZSCORE', lineKey(lease), session))
    end
  end
  for _, group in ipairs(redis.call('SMEMBERS', groupsKey(session))) do
    add(memberships, group, redis.call('HGET', groupKey(group), session))
  end
end
return {holds, places, memberships, now}
`
