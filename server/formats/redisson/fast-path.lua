-- The fast path of Redisson's lock: storage.lua with the fewest commands.
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
  -- Redis refused the TTL, and without one the lock would never expire.
  if type(set) == 'table' then
    redis.call('HDEL', KEYS[1], token)
    error(set)
  end
end

-- Removes the hold of the token. Returns whether it did. Its count is that of the companion, because each verb that changes
-- one stores both, and no other client uses tokens of Lockkeeper.
local function remove_hold_now(token)
  return redis.pcall('HDEL', KEYS[1], token) == 1
end
