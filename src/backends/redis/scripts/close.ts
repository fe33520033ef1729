/** Ends the session. What one call cannot take apart is left as that of a dead session, for whoever renews next. */
import { dismantle } from './shared/dismantle.ts'
import { groups } from './shared/groups.ts'
import { line } from './shared/line.ts'
import { record } from './shared/record.ts'

export const close = /* lua */ `
${record}
${line}
${groups}
${dismantle}
local me = ARGV[1]
if redis.call('ZSCORE', SESSIONS, me) then
  -- Dead first, so that nothing is offered to it.
  redis.call('ZADD', SESSIONS, 0, me)
  redis.call('ZREM', RENEWED, me)
  dismantle(me)
  tellMembers()
end
return {'closed'}
`
