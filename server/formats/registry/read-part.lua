-- Reads the first elements of one key, or some fields of a hash, if they are not too large. Changes nothing.
--
-- KEYS[1] the key
-- ARGV[1] LRANGE, ZRANGE, ZRANGEBYSCORE, HKEYS or HMGET       ARGV[2] maximum bytes that are read
-- ARGV[3] maximum elements that are read; for HMGET, maximum bytes of one field
-- ARGV[4] for ZRANGEBYSCORE, the lowest score; for HMGET, the first field, followed by more fields
--
-- Returns the elements as the command returns them (those of a sorted set with their scores), or an empty list if they are
-- too large or the key is of another type; for HMGET, false for a field that is missing or too large

-- include measure.lua

local command, bytes_max, most = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
-- Maximum number of elements of a key that is read other than from its first element, because Redis then measures all
-- elements.
local MEASURED_MAX = 4096
local TYPES = { LRANGE = 'list', ZRANGE = 'zset', ZRANGEBYSCORE = 'zset', HKEYS = 'hash', HMGET = 'hash' }
if redis.call('TYPE', KEYS[1]).ok ~= TYPES[command] then return {} end

-- scaled: whether the first elements are read, which Redis samples to estimate the size.
local function fits(count, scaled)
  if not scaled and count > MEASURED_MAX then return false end
  local bytes = measure_bytes(1, scaled and most or 0)
  if scaled then bytes = bytes * math.min(1, most / count) end
  return bytes >= 0 and bytes <= bytes_max
end

if command == 'LRANGE' then
  -- Redis samples list nodes, each with several elements, so the estimate covers all elements.
  if fits(1, true) then return redis.call('LRANGE', KEYS[1], 0, most - 1) end
elseif command == 'ZRANGE' then
  if fits(redis.call('ZCARD', KEYS[1]), true) then
    return redis.call('ZRANGE', KEYS[1], 0, most - 1, 'WITHSCORES')
  end
elseif command == 'ZRANGEBYSCORE' then
  if fits(redis.call('ZCARD', KEYS[1]), false) then
    return redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[4], '+inf', 'WITHSCORES', 'LIMIT', 0, most)
  end
elseif command == 'HKEYS' then
  if fits(redis.call('HLEN', KEYS[1]), false) then return redis.call('HKEYS', KEYS[1]) end
else
  local values = {}
  for n = 4, #ARGV do
    local length = redis.call('HSTRLEN', KEYS[1], ARGV[n])
    values[n - 3] = length <= most and redis.call('HGET', KEYS[1], ARGV[n])
  end
  return values
end
return {}
