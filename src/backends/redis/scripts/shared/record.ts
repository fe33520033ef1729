/** What every script begins with: the keys, the time, the check of the records' format, and who is alive. */
import { keys } from '../../keys.ts'

/** The format of the records. A script that finds another one touches nothing. */
export const FORMAT = '1'

/** How the scripts say that they have found a format which they do not know. */
export const FORMAT_ERROR = 'SIMBAFORMAT'

export const record = /* lua */ `
${keys}
-- The server's clock is the only one. It is read once, so that all of a call happens at one instant.
local time = redis.call('TIME')
local nowMicros = time[1] * 1000000 + time[2]
local now = math.floor(nowMicros / 1000)

local format = redis.call('HGET', root, 'format')
if format and format ~= '${FORMAT}' then
  return redis.error_reply('${FORMAT_ERROR} ' .. format)
end

-- Alive is who has not run out, whether or not anybody has reaped it yet.
local function alive(session)
  local expiry = redis.call('ZSCORE', SESSIONS, session)
  return expiry and tonumber(expiry) > now
end
`

/** For the scripts of a session, which all get it as their first argument: one that has run out does nothing more. */
export const caller = /* lua */ `
local me = ARGV[1]
if not alive(me) then return {'unknown'} end
`
