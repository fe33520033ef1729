/** Ends whatever the session has at a lease: a place in line, an offer, or a grant whose answer was lost. */
import { line } from './shared/line.ts'
import { numbers } from './shared/numbers.ts'
import { caller, record } from './shared/record.ts'

export const withdraw = /* lua */ `
${record}
${caller}
${numbers}
${line}
local lease, number = ARGV[2], tonumber(ARGV[3])
if isStale('lease:' .. lease, number) then return {'stale'} end

leaveLine(me, lease)
local known = redis.call('HMGET', leaseKey(lease), 'holder', 'offeredTo')
if known[1] == me then
  free(me, lease)
elseif known[2] == me then
  offerOn(lease)
end
return {'withdrawn'}
`
