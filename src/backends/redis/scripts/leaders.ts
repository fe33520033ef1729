/** Who holds these leases now. */
import { record } from './shared/record.ts'

export const leaders = /* lua */ `
${record}
local found = {}
for i, lease in ipairs(ARGV) do
  local known = redis.call('HMGET', leaseKey(lease), 'holder', 'token')
  local holder, token = known[1], known[2]
  found[i] = holder and alive(holder) and {redis.call('HGET', sessionKey(holder), 'node'), token} or false
end
return found
`
