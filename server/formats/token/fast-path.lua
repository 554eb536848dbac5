-- The storage of a `token` lock for the fast path, with as few commands as possible.
--
-- KEYS[1] the lock    KEYS[3] the counter of Redisson's fenced lock, which must not exist

local FORMAT = 'token'

-- include ../fast-path/window.lua

local function is_free()
  return redis.call('EXISTS', KEYS[1], KEYS[3]) == 0
end

local function store_hold_now(token, lease_ms)
  redis.call('SET', KEYS[1], token, 'PX', lease_ms)
end

-- Removes the hold with this token. Returns whether the hold existed.
local function remove_hold_now(token)
  if redis.pcall('GETRANGE', KEYS[1], '0', '1024') ~= token then return false end
  redis.call('DEL', KEYS[1])
  return true
end
