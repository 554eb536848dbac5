-- A lock as one string where it is plain; as storage.lua, with the least commands.
--
-- KEYS[1] the lock

local FORMAT = 'token'

-- include ../fast-path/window.lua

local function is_free()
  return redis.call('EXISTS', KEYS[1]) == 0
end

local function store_hold_now(owner, lease_ms)
  redis.call('SET', KEYS[1], owner, 'PX', lease_ms)
  return owner
end

-- What the companion names as the lock's value.
local function format_value(owner)
  return owner
end

local function is_held_once(owner)
  return redis.pcall('GETRANGE', KEYS[1], 0, 1024) == owner
end

local function remove_hold_now(_owner)
  redis.call('DEL', KEYS[1])
end
