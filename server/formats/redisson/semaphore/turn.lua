-- Shared by the scripts of a semaphore: whose turn it is. The waiter that has waited longest claims the next permits, so that
-- clients that need fewer do not overtake it for as long as it waits. A claim expires unless the waiter renews it with its
-- next attempt.
--
-- A claim contains since when its client waits, in ms, and the id of the client.

-- A waiter tries again within two seconds.
local CLAIM_MS = 5000
local CLAIM_BYTES_MAX = 256

-- Returns the id of the client that claims the next permits, and since when it waits; nil if there is none.
local function read_claim(k)
  local since, id = string.match(read_text(k, CLAIM_BYTES_MAX), '^(%d+)\t(.+)$')
  return id, tonumber(since)
end

-- Returns for how long this client gives way to the client that has the claim, in ms; nil if it does not. Clients that began
-- to wait in the same millisecond do not give way to each other: in one process, the one without the claim may be first in the
-- queue, and the one with the claim would not try.
local function find_give_way_ms(k, id, claimed_since_ms, waiter_id, since_ms)
  if not id or id == waiter_id or claimed_since_ms >= since_ms then return nil end
  return math.max(1, redis.call('PTTL', KEYS[k]))
end

local function claim_turn(k, waiter_id, since, wait_ms)
  redis.call('SET', KEYS[k], since .. '\t' .. waiter_id, 'PX', format_integer(math.min(CLAIM_MS, wait_ms + 100)))
end
