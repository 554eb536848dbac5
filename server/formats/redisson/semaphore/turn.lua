-- Shared by the scripts of a semaphore: whose turn it is. The longest waiter claims the next permits, so that clients that
-- need fewer permits do not overtake it. A claim expires unless the waiter renews it with its next attempt.
--
-- A claim contains the time at which its client began to wait, in ms, and the id of the client.

-- A waiter tries again within two seconds.
local CLAIM_MS = 5000
local CLAIM_BYTES_MAX = 256

-- Returns the id of the client that claims the next permits, and when that client began to wait; nil if there is no
-- claim.
local function read_claim(k)
  local since, id = string.match(read_text(k, CLAIM_BYTES_MAX), '^(%d+)\t(.+)$')
  return id, tonumber(since)
end

-- Returns for how many ms this client gives way to the one with the claim; nil if it does not. Clients that began to wait in the
-- same millisecond do not give way to each other: the first in the queue of a process would wait for a claim of the second,
-- which does not try.
local function find_give_way_ms(k, id, claimed_since_ms, waiter_id, since_ms)
  if not id or id == waiter_id or claimed_since_ms >= since_ms then return nil end
  return math.max(1, redis.call('PTTL', KEYS[k]))
end

local function claim_turn(k, waiter_id, since, wait_ms)
  redis.call('SET', KEYS[k], since .. '\t' .. waiter_id, 'PX', format_integer(math.min(CLAIM_MS, wait_ms + 100)))
end
