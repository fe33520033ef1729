/** Frees the lease where the session holds it under this very token: an old release never frees a newer grant. */
import { line } from './shared/line.ts'
import { numbers } from './shared/numbers.ts'
import { caller, record } from './shared/record.ts'

export const release = /* lua */ `
${record}
${caller}
${numbers}
${line}
local lease, token, number = ARGV[2], ARGV[3], tonumber(ARGV[4])
if isStale('lease:' .. lease, number) then return {'stale'} end

local known = redis.call('HMGET', leaseKey(lease), 'holder', 'token')
if known[1] ~= me or known[2] ~= token then return {'not-held'} end
free(me, lease)
return {'released'}
`
