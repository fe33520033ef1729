/** Creates a session. Nothing else does. */
import { record } from './shared/record.ts'
import { server } from './shared/server.ts'

export const open = /* lua */ `
${record}
${server}
local me, node, leaseDurationMs, renewIntervalMs = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local wasOpen = ARGV[5] == 'again'

-- Opened before, and perhaps its answer lost: it is open. Opened before, and run out since: it is over.
local known = redis.call('ZSCORE', SESSIONS, me)
if (known or wasOpen) and not alive(me) then return {'ended'} end

local epoch, _, _, run = identify(leaseDurationMs)
redis.call('HSET', sessionKey(me), 'node', node, 'leaseDurationMs', leaseDurationMs)
-- Only offers are measured by it, and none need outlast whom it was made to.
redis.call('HSET', sessionKey(me), 'renewIntervalMs', math.min(renewIntervalMs, leaseDurationMs))
redis.call('HSETNX', sessionKey(me), 'settled', 0)
redis.call('ZADD', SESSIONS, now + leaseDurationMs, me)
redis.call('ZADD', RENEWED, now, me)
return {'opened', epoch, run}
`
