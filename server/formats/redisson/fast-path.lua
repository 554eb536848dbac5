-- The storage of Redisson's lock for the fast path, with as few commands as possible.
--
-- KEYS[1] the lock    KEYS[3] the counter of Redisson's fenced lock, which must not exist

local FORMAT = 'redisson'

-- include ../fast-path/window.lua

local function is_free()
  return redis.call('EXISTS', KEYS[1], KEYS[3]) == 0
end

local function store_hold_now(token, lease_ms)
  redis.call('HSET', KEYS[1], token, '1')
  local set = redis.pcall('PEXPIRE', KEYS[1], lease_ms)
  -- Redis refused to set the TTL, and a lock without a TTL would never expire.
  if type(set) == 'table' then
    redis.call('HDEL', KEYS[1], token)
    error(set)
  end
end

-- Removes the hold with this token. Returns whether the hold existed. The count in the lock equals the count in the
-- companion, because each verb that changes a count stores both, and no other client uses Lockkeeper's tokens.
local function remove_hold_now(token)
  return redis.pcall('HDEL', KEYS[1], token) == 1
end
