/** Extends the session, forgets settled numbers, reaps what has run out, reads the inbox: all that a calm node ever sends. */
import { dismantle } from './shared/dismantle.ts'
import { groups } from './shared/groups.ts'
import { inbox } from './shared/inbox.ts'
import { line } from './shared/line.ts'
import { caller, record } from './shared/record.ts'
import { server } from './shared/server.ts'

const reap = /* lua */ `
-- Renewed in the future: the clock has stepped back since, and must not keep a dead session alive.
local function cutToLeaseDuration()
  for _, session in ipairs(redis.call('ZRANGEBYSCORE', RENEWED, '(' .. now, '+inf', 'LIMIT', 0, budget)) do
    redis.call('ZADD', SESSIONS, now + redis.call('HGET', sessionKey(session), 'leaseDurationMs'), session)
    redis.call('ZADD', RENEWED, now, session)
  end
end

local function reapSessions()
  while budget > 0 do
    local session = redis.call('ZRANGEBYSCORE', SESSIONS, '-inf', now, 'LIMIT', 0, 1)[1]
    if not session then return end
    dismantle(session)
  end
end

-- No offer stands longer than the longest lease; one that does was made before the clock stepped back.
local function nextLateOffer(longestLeaseMs)
  return redis.call('ZRANGEBYSCORE', OFFERS, '-inf', now, 'LIMIT', 0, 1)[1]
    or redis.call('ZRANGEBYSCORE', OFFERS, '(' .. (now + longestLeaseMs), '+inf', 'LIMIT', 0, 1)[1]
end

-- Whoever did not take an offer in time goes to the end of the line. Alone in it, it is offered the lease again.
local function passOffersOn(longestLeaseMs)
  while budget > 0 do
    local lease = nextLateOffer(longestLeaseMs)
    if not lease then return end
    budget = budget - 1
    local late = redis.call('HGET', leaseKey(lease), 'offeredTo')
    if late then redis.call('ZADD', lineKey(lease), 'XX', nextPlace(), late) end
    offerOn(lease)
  end
end

-- How soon there is something to reap again: 0 for at once, -1 for nothing in sight.
local function nextExpiryInMs()
  local soonest
  local sessions = redis.call('ZRANGE', SESSIONS, 0, 1, 'WITHSCORES')
  for i = 1, #sessions, 2 do
    if sessions[i] ~= me then
      soonest = tonumber(sessions[i + 1])
      break
    end
  end
  local offer = tonumber(redis.call('ZRANGE', OFFERS, 0, 0, 'WITHSCORES')[2])
  if offer and (not soonest or offer < soonest) then soonest = offer end
  return soonest and math.max(0, math.ceil(soonest - now)) or -1
end
`

export const renew = /* lua */ `
${record}
${caller}
${server}
${line}
${groups}
${dismantle}
${reap}
${inbox}
local settled, knownEpoch, knownRun = tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local mine = redis.call('HMGET', sessionKey(me), 'leaseDurationMs', 'settled')
local leaseDurationMs = tonumber(mine[1])
local epoch, _, longestLeaseMs, run = identify(leaseDurationMs)
if knownRun ~= '' and knownRun ~= run and knownEpoch >= epoch then
  -- Restarted twice, and the second time from a snapshot that had not seen the first: its count has begun again at a number
  -- that this session has heard before, and would take for nothing new.
  epoch = knownEpoch + 1
  redis.call('HSET', root, 'epoch', epoch)
end

redis.call('ZADD', SESSIONS, now + leaseDurationMs, me)
redis.call('ZADD', RENEWED, now, me)

if settled > tonumber(mine[2]) then
  redis.call('HSET', sessionKey(me), 'settled', settled)
  redis.call('ZREMRANGEBYSCORE', numbersKey(me), '-inf', settled)
end

cutToLeaseDuration()
reapSessions()
passOffersOn(longestLeaseMs)
tellMembers()

local holds = knownEpoch ~= epoch and redis.call('ZRANGE', holdsKey(me), 0, -1, 'WITHSCORES')
local freed, versions = readInbox()
return {'renewed', freed, versions, nextExpiryInMs(), epoch, run, holds}
`
