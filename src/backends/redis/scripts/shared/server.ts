/**
 * Which run of which server this is, and the quarantine that follows from it: a server that restarted may have forgotten grants.
 * The script asks the very server that it runs on, so that no failover, proxy or late command can slip between question and use.
 */
import { FORMAT } from './record.ts'

export const server = /* lua */ `
-- Refused to some users, and absent from some servers: then it says nothing.
local function info(section)
  local text = redis.pcall('INFO', section)
  return type(text) == 'string' and text or ''
end

local function runId(serverInfo) return string.match(serverInfo, 'run_id:(%x+)') or '' end

-- The latest instant at which this server can have begun to remember. Both the uptime and the clock that it is counted from
-- are whole seconds, cut off, so that the server may be up to a second younger than they say.
local function latestStart(serverInfo)
  local uptime = string.match(serverInfo, 'uptime_in_seconds:(%d+)')
  -- A replica that was promoted never had what its master had not yet sent.
  local promoted = string.match(info('replication'), 'second_repl_offset:%d')
  if not uptime or promoted then return now end
  return math.min(now, (time[1] - uptime + 1) * 1000)
end

-- Brings the namespace's record up to date. Returns the epoch, when grants may begin, the greatest lease duration in use,
-- and the run of the server.
local function identify(leaseDurationMs)
  local serverInfo = info('server')
  local run = runId(serverInfo)
  local known = redis.call('HMGET', root, 'epoch', 'run', 'grantsFrom', 'longestLeaseMs', 'startedAt')
  local epoch, knownRun, startedAt = tonumber(known[1]), known[2], tonumber(known[5])
  local grantsFrom = tonumber(known[3]) or 0
  local longest = math.max(tonumber(known[4]) or 0, leaseDurationMs)

  if not epoch then
    -- Nobody was here before, or everything is forgotten: then by a restart, and whoever held a lease lost it a lease
    -- duration after that.
    startedAt = latestStart(serverInfo)
    grantsFrom = startedAt + leaseDurationMs
    if grantsFrom <= now then grantsFrom = 0 end
    redis.call('HSET', root, 'format', '${FORMAT}', 'epoch', 1, 'run', run, 'grantsFrom', grantsFrom,
      'longestLeaseMs', longest, 'startedAt', startedAt)
    return 1, grantsFrom, longest, run
  end

  if run ~= '' and run ~= knownRun then
    epoch = epoch + 1
    redis.call('HDEL', root, 'startedAt')
    redis.call('HSET', root, 'epoch', epoch, 'run', run, 'grantsFrom', now + longest, 'longestLeaseMs', longest)
    return epoch, now + longest, longest, run
  end

  local before, isLonger = grantsFrom, longest ~= tonumber(known[4])
  -- A newcomer with a longer lease may be the second life of a holder with a longer lease.
  if startedAt and isLonger and grantsFrom > now then grantsFrom = math.max(grantsFrom, startedAt + longest) end
  -- A clock that has stepped back does not make the quarantine longer.
  grantsFrom = math.min(grantsFrom, now + longest)
  if grantsFrom ~= before then redis.call('HSET', root, 'grantsFrom', grantsFrom) end
  if isLonger then redis.call('HSET', root, 'longestLeaseMs', longest) end
  return epoch, grantsFrom, longest, run
end
`
