-- The lock of Redisson where it is plain; as storage.lua, with the least commands.
--
-- KEYS[1] the lock

local FORMAT = 'redisson'

-- include ../fast-path/window.lua

local function is_free()
  return redis.pcall('HLEN', KEYS[1]) == 0
end

local function store_hold_now(owner, lease_ms)
  redis.call('HSET', KEYS[1], owner, '1')
  local set = redis.pcall('PEXPIRE', KEYS[1], lease_ms)
  -- Refused: a lock that nothing ends would stay for ever.
  if type(set) == 'table' then
    redis.call('HDEL', KEYS[1], owner)
    error(set)
  end
  return ''
end

-- What the companion names as the lock's value.
local function format_value(_owner)
  return ''
end

local function is_held_once(owner)
  return redis.pcall('HGET', KEYS[1], owner) == '1'
end

local function remove_hold_now(owner)
  redis.call('HDEL', KEYS[1], owner)
end
