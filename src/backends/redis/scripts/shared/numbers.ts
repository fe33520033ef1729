/** Late commands do nothing: each lease and each group has a last number within a session, and the session a floor under all. */
export const numbers = /* lua */ `
-- Recorded before the effect, and whatever the effect: a number is used up by being seen.
local function isStale(subject, number)
  local settled = tonumber(redis.call('HGET', sessionKey(me), 'settled'))
  local last = tonumber(redis.call('ZSCORE', numbersKey(me), subject) or 0)
  if number <= settled or number <= last then return true end
  redis.call('ZADD', numbersKey(me), number, subject)
  return false
end
`
