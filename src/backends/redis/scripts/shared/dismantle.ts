/** Ends a session that is dead already: it only takes apart what the session had, as far as the call's budget goes. */
export const dismantle = /* lua */ `
local function each(pop, names, undo)
  while budget > 0 do
    local name = redis.call(pop, names)
    if type(name) == 'table' then name = name[1] end -- ZPOPMIN gives the score as well
    if not name then return end
    budget = budget - 1
    undo(name)
  end
end

-- The session's own record goes last: as long as it is there, and run out, somebody comes back for the rest.
local function dismantle(session)
  each('ZPOPMIN', holdsKey(session), function(lease)
    redis.call('HDEL', leaseKey(lease), 'holder', 'token')
    offerOn(lease)
  end)
  each('SPOP', standsKey(session), function(lease)
    redis.call('ZREM', lineKey(lease), session)
    if redis.call('HGET', leaseKey(lease), 'offeredTo') == session then offerOn(lease) end
  end)
  each('SPOP', groupsKey(session), function(group)
    redis.call('HDEL', groupKey(group), session)
    changed[group] = true
  end)
  if budget <= 0 then return end
  budget = budget - 1
  redis.call('DEL', sessionKey(session), numbersKey(session), inboxKey(session))
  redis.call('ZREM', RENEWED, session)
  redis.call('ZREM', SESSIONS, session)
end
`
