/** Takes the lease where nobody alive holds it, or stands in line for it. */
import { line } from './shared/line.ts'
import { numbers } from './shared/numbers.ts'
import { caller, record } from './shared/record.ts'
import { server } from './shared/server.ts'

export const campaign = /* lua */ `
${record}
${caller}
${server}
${numbers}
${line}
local lease, number = ARGV[2], tonumber(ARGV[3])
if isStale('lease:' .. lease, number) then return {'stale'} end

local _, grantsFrom = identify(tonumber(redis.call('HGET', sessionKey(me), 'leaseDurationMs')))
if grantsFrom > now then
  standInLine(me, lease)
  return {'quarantined', math.ceil(grantsFrom - now)}
end

local holder = redis.call('HGET', leaseKey(lease), 'holder')
if holder and holder ~= me and alive(holder) then
  standInLine(me, lease)
  return {'held', redis.call('HGET', sessionKey(holder), 'node')}
end

-- Being next in line is an offer, not a reservation: whoever comes now gets it.
endOffer(lease)
if holder then strip(holder, lease) end
leaveLine(me, lease)

-- Greater than every earlier one, also where the counter was lost with the server's memory.
local token = math.max(tonumber(redis.call('HGET', root, 'token') or 0) + 1, nowMicros)
redis.call('HSET', root, 'token', token)
redis.call('HSET', leaseKey(lease), 'holder', me, 'token', token)
redis.call('ZADD', holdsKey(me), token, lease)
return {'granted', string.format('%.0f', token)} -- as text: ioredis 6 misreads the last digit of the largest integers
`
