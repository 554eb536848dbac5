-- Looks at one key and what stands beside it at one moment; changes nothing.
--
-- KEYS[1] the key       KEYS[2] its companion
-- KEYS[3] who waits by our own verbs (sorted set)       KEYS[4] Redisson's fencing counter
-- KEYS[5] Redisson's fair queue (list)       KEYS[6] the permits of Redisson's semaphore (sorted set)
-- KEYS[2] to KEYS[6] are left out when nothing is asked about them
-- ARGV[1] most fields of a hash, ARGV[2] most bytes of a string, ARGV[3] most members of a set or sorted set that are read
-- ARGV[4] most bytes of a hash, set or sorted set that is read, ARGV[5] most bytes of a companion
--
-- Returns {now ms, type, time to live in ms (-1: none, -2: no key), size, content, the companion or '' (too large),
--          who waits by our verbs, fencing counter or '', length of the fair queue, permits that are out (flat),
--          those that end first, bytes in memory of the content or, of a string, of the permits (0: not measured,
--          -1: cannot be measured)}
-- content: fields of a hash, members of a set, members and scores of a sorted set, none when there are too many or
--          they are too large; the beginning of a string

-- include measure.lua

local fields_max, bytes_max, members_max = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local content_bytes_max, companion_bytes_max = tonumber(ARGV[4]), tonumber(ARGV[5])

local time = redis.call('TIME')
local now_ms = string.format('%.0f', tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000))
local kind = redis.call('TYPE', KEYS[1]).ok
local remaining_ms = string.format('%.0f', kind == 'none' and -2 or redis.call('PTTL', KEYS[1]))

-- Anybody may have put something else in the place of what belongs beside a lock.
local function to_text(answer)
  return type(answer) == 'string' and answer or ''
end
local function to_number(answer)
  return type(answer) == 'number' and answer or 0
end

-- One byte more than a companion may have tells one that is too large.
local stored = to_text(KEYS[2] and redis.pcall('GETRANGE', KEYS[2], 0, companion_bytes_max))
if #stored > companion_bytes_max then stored = '' end
local size, bytes, content, fence, queued, permits = 0, 0, {}, '', 0, {}
local waiting = KEYS[3] and to_number(redis.pcall('ZCOUNT', KEYS[3], now_ms, '+inf')) or 0

-- Whether the first members of the sorted set of permits take few enough bytes to be read.
local function permits_fit(count)
  bytes = math.ceil(measure_bytes(6, members_max) * math.min(1, members_max / count))
  return bytes >= 0 and bytes <= content_bytes_max
end

-- Whether as many elements, and as many bytes of them, may be read.
local function content_fits(most)
  if size > most then return false end
  bytes = measure_bytes(1, 0)
  return bytes >= 0 and bytes <= content_bytes_max
end

if kind == 'string' then
  size = redis.call('STRLEN', KEYS[1])
  content = { redis.call('GETRANGE', KEYS[1], 0, bytes_max - 1) }
  if KEYS[6] and size <= 11 and string.find(content[1], '^%-?%d+$') then
    local count = to_number(redis.pcall('ZCARD', KEYS[6]))
    if count > 0 and permits_fit(count) then
      permits = redis.call('ZRANGE', KEYS[6], 0, members_max - 1, 'WITHSCORES')
    end
  end
elseif kind == 'hash' then
  size = redis.call('HLEN', KEYS[1])
  if content_fits(fields_max) then content = redis.call('HGETALL', KEYS[1]) end
elseif kind == 'zset' then
  size = redis.call('ZCARD', KEYS[1])
  if content_fits(members_max) then content = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES') end
elseif kind == 'set' then
  size = redis.call('SCARD', KEYS[1])
  if content_fits(members_max) then content = redis.call('SMEMBERS', KEYS[1]) end
end
if KEYS[5] and (kind == 'hash' or kind == 'none') then
  fence = to_text(redis.pcall('GETRANGE', KEYS[4], 0, 31))
  queued = to_number(redis.pcall('LLEN', KEYS[5]))
end
return { now_ms, kind, remaining_ms, size, content, stored, waiting, fence, queued, permits, bytes }
