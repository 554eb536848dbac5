-- Shared by the scripts of a semaphore: reads and changes permits, which are stored as in Redisson's
-- RPermitExpirableSemaphore. For a plain semaphore, a key of Lockkeeper stores the permits of Lockkeeper's holds in the
-- same form.
--
-- KEYS[1] the semaphore: the number of available permits
-- KEYS[3] the acquired permits (sorted set: 16 bytes -> when the permit expires, in ms)

local PERMIT_BYTES = 16
-- Maximum number of acquired permits that are read.
local ACQUIRED_MAX = 4096
local ACQUIRED_BYTES_MAX = 1048576
-- Maximum number of expired permits that one call reclaims.
local RECLAIMED_MAX = 1000

-- Returns the id of permit n of a hold, counted from 1. Must match permit-ids.ts.
local function build_permit_id(token, n)
  local hex = string.sub(redis.sha1hex(token .. ':' .. format_integer(n)), 1, 2 * PERMIT_BYTES)
  return (string.gsub(hex, '%x%x', function(pair) return string.char(tonumber(pair, 16)) end))
end

-- Builds the arguments of ZADD for all permits of a hold.
local function build_permits(token, permits, end_ms)
  local parameters, score = {}, format_integer(end_ms)
  for n = 1, permits do
    parameters[2 * n - 1], parameters[2 * n] = score, build_permit_id(token, n)
  end
  return parameters
end

local function is_permit_at(rank)
  local member = redis.call('ZRANGE', KEYS[3], rank, rank)[1]
  return member == nil or #member == PERMIT_BYTES
end

-- Reads the semaphore. Returns 'semaphore' with the available and the acquired permits, including expired ones; 'missing'
-- with 0 and the acquired permits; 'not_a_lock' and the type of the key; or 'fault' and the error.
local function read_semaphore()
  local text = redis.pcall('GETRANGE', KEYS[1], '0', COUNTER_BYTES_MAX)
  if type(text) == 'table' then
    if not is_wrong_type(text) then return 'fault', text end
    return 'not_a_lock', redis.call('TYPE', KEYS[1]).ok
  end
  local acquired = redis.pcall('ZCARD', KEYS[3])
  if type(acquired) == 'table' then
    if not is_wrong_type(acquired) then return 'fault', acquired end
    return 'not_a_lock', 'string'
  end
  if acquired > ACQUIRED_MAX or acquired > 0 and not is_within_bytes(3, ACQUIRED_BYTES_MAX) then return 'not_a_lock', 'string' end
  if not is_permit_at(0) or not is_permit_at(-1) then return 'not_a_lock', 'string' end
  if text == '' and redis.call('EXISTS', KEYS[1]) == 0 then return 'missing', 0, acquired end
  if not is_counter(text) then return 'not_a_lock', 'string' end
  return 'semaphore', tonumber(text), acquired
end

-- Whether permits of the other kind of semaphore are acquired.
local function has_permits_at(k)
  local acquired = redis.pcall('ZCARD', KEYS[k])
  return type(acquired) == 'number' and acquired > 0
end

-- Reclaims the permits that have expired on the server's clock. If the number is missing (it may have been evicted),
-- the permits are only removed.
local function reclaim_permits(now_ms)
  local expired = redis.call('ZCOUNT', KEYS[3], '-inf', format_integer(now_ms))
  if expired == 0 then return 0 end
  local reclaimed = math.min(expired, RECLAIMED_MAX)
  redis.call('ZREMRANGEBYRANK', KEYS[3], 0, reclaimed - 1)
  if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('INCRBY', KEYS[1], reclaimed) end
  return reclaimed
end

-- Sets the TTL of the permits to that of the semaphore, or removes it, so that the permits do not end before the
-- semaphore. Returns the TTL in ms; nil if there is none.
local function copy_ttl()
  local ttl_ms = redis.call('PTTL', KEYS[1])
  if ttl_ms >= 0 then
    redis.call('PEXPIRE', KEYS[3], math.max(1, ttl_ms))
    return ttl_ms
  end
  if ttl_ms == -1 then redis.call('PERSIST', KEYS[3]) end
  return nil
end

-- Returns when the first permit of a hold expires, in Unix ms; nil if one of its permits is missing or has expired.
local function find_hold_end(token, permits, now_ms)
  local first
  for n = 1, permits do
    local score = redis.pcall('ZSCORE', KEYS[3], build_permit_id(token, n))
    local end_ms = type(score) == 'string' and tonumber(score)
    if not end_ms or end_ms <= now_ms then return nil end
    first = math.min(first or end_ms, end_ms)
  end
  return first
end

-- Removes the permits of a hold and makes them available. Returns the number of permits that existed. ZREM comes first
-- because a full Redis accepts it. After the first write of a script, Redis does not refuse commands that need memory.
local function return_permits(k, token, permits)
  local returned = 0
  for n = 1, permits do returned = returned + redis.call('ZREM', KEYS[k], build_permit_id(token, n)) end
  if returned > 0 and redis.call('EXISTS', KEYS[1]) == 1 then redis.call('INCRBY', KEYS[1], returned) end
  return returned
end

-- include wake.lua
