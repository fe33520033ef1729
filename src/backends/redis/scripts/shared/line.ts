/**
 * Who stands in line for a lease, and to whom it is offered once it is free.
 * A lease has a record only while somebody holds it or is offered it.
 */

/** How much one call may tidy up: leases freed, places given up, memberships and sessions ended. What is left over, the next call does. */
const TIDYING_BUDGET = 100

export const line = /* lua */ `
local budget = ${TIDYING_BUDGET}

-- Places only grow, also across leases, so that one counter serves them all.
local function nextPlace() return redis.call('HINCRBY', root, 'place', 1) end

-- Whoever stands in line already keeps the place.
local function standInLine(session, lease)
  if redis.call('SADD', standsKey(session), lease) == 1 then
    redis.call('ZADD', lineKey(lease), nextPlace(), session)
  end
end

local function leaveLine(session, lease)
  redis.call('SREM', standsKey(session), lease)
  redis.call('ZREM', lineKey(lease), session)
end

local function endOffer(lease)
  local session = redis.call('HGET', leaseKey(lease), 'offeredTo')
  if session then
    redis.call('HDEL', leaseKey(lease), 'offeredTo')
    redis.call('SREM', inboxKey(session), lease)
  end
  redis.call('ZREM', OFFERS, lease)
end

-- Offers a lease that nobody holds to the first in line that is alive; the dead on the way lose their places.
local function offerOn(lease)
  endOffer(lease)
  while true do
    local first = redis.call('ZRANGE', lineKey(lease), 0, 0)[1]
    if not first then return end
    if alive(first) then
      local deadline = now + redis.call('HGET', sessionKey(first), 'renewIntervalMs')
      redis.call('HSET', leaseKey(lease), 'offeredTo', first)
      redis.call('ZADD', OFFERS, deadline, lease)
      redis.call('SADD', inboxKey(first), lease)
      redis.call('PUBLISH', hintChannel(first), 'lease.freed ' .. lease)
      return
    end
    if budget <= 0 then
      -- An offer to nobody, which has run out already: the next renewal goes on from here.
      redis.call('ZADD', OFFERS, now, lease)
      return
    end
    budget = budget - 1
    leaveLine(first, lease)
  end
end

-- Takes the lease from its holder, without giving it to anybody.
local function strip(holder, lease)
  redis.call('ZREM', holdsKey(holder), lease)
  redis.call('HDEL', leaseKey(lease), 'holder', 'token')
end

local function free(holder, lease)
  strip(holder, lease)
  offerOn(lease)
end
`
