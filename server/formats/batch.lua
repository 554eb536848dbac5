-- Runs acquires and releases of one format in sequence, with the same effects as their own scripts.
--
-- Guarantee: a verb reads and writes only its own keys and arguments, and an error affects only its own reply. Verbs on
-- the same key take effect in the order of the arguments. Redis checks the memory limit only before the first write of
-- a script, so later verbs may be granted although the memory is full. Each verb still leaves either a lock with its
-- TTL and its companion, or nothing.
--
-- KEYS    of each verb in turn: three for an acquire, two for a release
-- ARGV    of each verb in turn: 'acquire' or 'release', and seven arguments
--
-- Returns the replies in that order. If there are fewer replies than verbs, the remaining verbs were not run. The
-- script stops at a cost limit, because Redis serves no other client while a script runs and verbs outside the fast
-- path take several times as long. Returns an error, and runs no verb, if the server refuses all writes.

local given_keys, given = KEYS, ARGV
local KEYS, ARGV

-- Included here so that these functions are created once per script and not once per verb.
-- include format/fast-path.lua

-- include verb-error.lua

-- include acquire.lua as function acquire
-- include release.lua as function release

local WORDS = 8
-- Cost limit of one call. A verb on the fast path costs 1.
local COST_MAX = 32
local FULL_SCRIPT_COST = 3

local replies, cost, key = {}, 0, 1
for word = 1, #given, WORDS do
  if cost >= COST_MAX then break end
  ARGV = { unpack(given, word + 1, word + WORDS - 1) }
  local ran, reply
  if given[word] == 'acquire' then
    KEYS = { unpack(given_keys, key, key + 2) }
    key = key + 3
    ran, reply = pcall(acquire)
  else
    KEYS = { unpack(given_keys, key, key + 1) }
    key = key + 2
    ran, reply = pcall(release)
  end
  if not ran or type(reply) == 'table' and reply.err then
    reply = to_error(reply)
    -- The server has become a replica. ioredis reconnects only if the whole call returns an error.
    if string.find(reply.err, '^READONLY ') then return reply end
  end
  replies[#replies + 1] = reply
  cost = cost + (type(reply) == 'string' and 1 or FULL_SCRIPT_COST)
end
return replies
