-- A lock as one string where it is plain; as shape.lua, with the least commands.
--
-- KEYS[1] the lock

local FORMAT = 'token'

-- include ../plain/window.lua

local function is_free()
  return redis.call('EXISTS', KEYS[1]) == 0
end

local function take_now(owner, lease_ms)
  redis.call('SET', KEYS[1], owner, 'PX', lease_ms)
  return owner
end

-- What the companion names as the lock's value.
local function value_of(owner)
  return owner
end

local function is_held_once(owner)
  return redis.pcall('GETRANGE', KEYS[1], 0, 1024) == owner
end

local function free_now(_owner)
  redis.call('DEL', KEYS[1])
end
