-- Shared by the scripts that read keys: reads one key and its auxiliary keys atomically.
--
-- KEYS[1] the key       KEYS[2] its companion
-- KEYS[3] waiters of Lockkeeper's verbs (sorted set)       KEYS[4] Redisson's fencing counter
-- KEYS[5] Redisson's fair queue (list)       KEYS[6] the permits of Redisson's semaphore (sorted set)
-- KEYS[7] until when each waiter of Lockkeeper in that queue is alive (sorted set)
-- KEYS[8] the permits of Lockkeeper's holds of a plain semaphore (sorted set)
-- ARGV[1] maximum fields of a hash, ARGV[2] maximum bytes of a string, ARGV[3] maximum members of a set or sorted set that
-- are read
-- ARGV[4] maximum bytes of a hash, set or sorted set that is read, ARGV[5] maximum bytes of a companion
--
-- Returns from read_key() what read.lua returns.
--
-- Numbers are passed to commands as strings where possible, because Redis formats a Lua number with 17 digits, which
-- takes longer than a short read.

-- include measure.lua

local fields_max, bytes_max, members_max = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local content_bytes_max, companion_bytes_max = tonumber(ARGV[4]), tonumber(ARGV[5])
local last_byte, last_companion_byte = string.format('%.0f', bytes_max - 1), ARGV[5]

local time = redis.call('TIME')
local now_ms = string.format('%.0f', tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000))

-- Any client can write an auxiliary key, so it may have any type.
local function to_text(answer)
  return type(answer) == 'string' and answer or ''
end
local function to_number(answer)
  return type(answer) == 'number' and answer or 0
end

-- Whether content of this size in bytes may be read.
local function bytes_fit(bytes)
  return bytes >= 0 and bytes <= content_bytes_max
end

-- Returns the acquired permits and their size in bytes; empty if the first members of their sorted set are too large.
local function read_permits(k, count)
  local bytes = math.ceil(measure_bytes(k, members_max) * math.min(1, members_max / count))
  return bytes_fit(bytes) and redis.call('ZRANGE', KEYS[k], '0', members_max - 1, 'WITHSCORES') or {}, bytes
end

local function read_key()
  local kind = redis.call('TYPE', KEYS[1]).ok
  local remaining_ms = kind == 'none' and '-2' or string.format('%.0f', redis.call('PTTL', KEYS[1]))
  -- Reads one byte more than the limit, to detect a companion that is too large.
  local stored = to_text(KEYS[2] and redis.pcall('GETRANGE', KEYS[2], '0', last_companion_byte))
  if #stored > companion_bytes_max then stored = '' end
  local size, bytes, content, fence, queued, permits, plain = 0, 0, {}, '', 0, {}, 0
  local waiting = KEYS[3] and to_number(redis.pcall('ZCOUNT', KEYS[3], now_ms, '+inf')) or 0

  if kind == 'string' then
    size = redis.call('STRLEN', KEYS[1])
    content = { redis.call('GETRANGE', KEYS[1], '0', last_byte) }
    if KEYS[6] and size <= 11 and string.find(content[1], '^%-?%d+$') then
      local k, count = 6, to_number(redis.pcall('ZCARD', KEYS[6]))
      if count == 0 then
        k, count = 8, to_number(redis.pcall('ZCARD', KEYS[8]))
        plain = count > 0 and 1 or 0
      end
      if count > 0 then permits, bytes = read_permits(k, count) end
    end
  elseif kind == 'hash' then
    size = redis.call('HLEN', KEYS[1])
    if size <= fields_max then
      bytes = measure_bytes(1, '0')
      if bytes_fit(bytes) then content = redis.call('HGETALL', KEYS[1]) end
    end
  elseif kind == 'zset' or kind == 'set' then
    size = kind == 'zset' and redis.call('ZCARD', KEYS[1]) or redis.call('SCARD', KEYS[1])
    if size <= members_max then
      bytes = measure_bytes(1, '0')
      if bytes_fit(bytes) then
        content = kind == 'zset' and redis.call('ZRANGE', KEYS[1], '0', '-1', 'WITHSCORES') or redis.call('SMEMBERS', KEYS[1])
      end
    end
  end
  if KEYS[5] and (kind == 'hash' or kind == 'none') then
    fence = to_text(redis.pcall('GETRANGE', KEYS[4], '0', '31'))
    queued = to_number(redis.pcall('LLEN', KEYS[5]))
    local beats = queued > 0 and to_number(redis.pcall('ZCARD', KEYS[7])) or 0
    if beats > 0 then
      -- Lockkeeper's waiters are in both lists. Waiters whose clients are gone remain in the queue until they reach its
      -- head.
      waiting = math.max(0, waiting - beats)
      queued = math.max(0, queued - to_number(redis.pcall('ZCOUNT', KEYS[7], '0', now_ms)))
    end
  end
  return { now_ms, kind, remaining_ms, size, content, stored, waiting, fence, queued, permits, bytes, plain }
end
