/**
 * The names of everything that this store keeps, built in one place for both sides: the scripts, and whoever subscribes.
 * The namespace is the hash tag of every key, so that all of them live in one slot of a Redis Cluster.
 */
import { SimbaError } from '../../model/errors.ts'

/** The namespace's own record. Every script is given it as its only key; the other keys begin with it. */
export function rootKey(namespace: string, keyPrefix = ''): string {
  // An empty tag or a brace within it would give each key a slot of its own.
  if (namespace === '' || /[{}]/.test(namespace)) {
    throw new SimbaError(
      'INVALID_OPTION',
      `namespace: ${JSON.stringify(namespace)} is not allowed in Redis: at least one character, no { or }`,
    )
  }
  return `${keyPrefix}simba:{${namespace}}`
}

/** The channel on which a session is told to look. */
export function hintChannel(root: string, session: string): string {
  return `${root}:hints:${session}`
}

/**
 * The same for the scripts. The kind of a key comes before the name in it: a lease may be called `a:line`, and must not meet the
 * line of lease `a`.
 */
export const keys = /* lua */ `
local root = KEYS[1]
local function key(kind, name) return root .. ':' .. kind .. ':' .. name end

local SESSIONS = root .. ':sessions'  -- zset: session -> when it runs out
local RENEWED = root .. ':renewed'    -- zset: session -> when it was opened or last renewed
local OFFERS = root .. ':offers'      -- zset: lease -> when its open offer runs out

local function sessionKey(session) return key('session', session) end -- hash: node, leaseDurationMs, renewIntervalMs, settled
local function numbersKey(session) return key('numbers', session) end -- zset: 'lease:x' or 'group:x' -> last number
local function holdsKey(session) return key('holds', session) end     -- zset: lease that it holds -> token
local function standsKey(session) return key('stands', session) end   -- set: leases for which it stands in line
local function inboxKey(session) return key('inbox', session) end     -- set: leases that are offered to it
local function groupsKey(session) return key('groups', session) end   -- set: groups that it has joined
local function leaseKey(lease) return key('lease', lease) end         -- hash: holder and token, or offeredTo
local function lineKey(lease) return key('line', lease) end           -- zset: session -> place
local function groupKey(group) return key('group', group) end         -- hash: version, and each member's entry
local function hintChannel(session) return key('hints', session) end  -- a channel, not a key
`
