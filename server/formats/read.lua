-- Looks at one key and its companion at one moment; changes nothing.
--
-- KEYS[1] the key       KEYS[2] its companion
-- ARGV[1] most fields of a hash, ARGV[2] most bytes of a string that are read
--
-- Returns {now ms, type, time to live in ms (-1: none, -2: no key), size, fields of a hash (flat, none when too many)
--          or the beginning of a string, beginning of the companion or ''}

local time = redis.call('TIME')
local now_ms = string.format('%.0f', tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000))
local kind = redis.call('TYPE', KEYS[1]).ok
if kind ~= 'hash' and kind ~= 'string' then
  return { now_ms, kind, string.format('%.0f', kind == 'none' and -2 or redis.call('PTTL', KEYS[1])), 0, {}, '' }
end

local remaining_ms = string.format('%.0f', redis.call('PTTL', KEYS[1]))
local stored = redis.pcall('GETRANGE', KEYS[2], 0, 4095)
local companion = type(stored) == 'string' and stored or ''
if kind == 'string' then
  local size = redis.call('STRLEN', KEYS[1])
  return { now_ms, kind, remaining_ms, size, { redis.call('GETRANGE', KEYS[1], 0, tonumber(ARGV[2]) - 1) }, companion }
end
local size = redis.call('HLEN', KEYS[1])
local fields = size <= tonumber(ARGV[1]) and redis.call('HGETALL', KEYS[1]) or {}
return { now_ms, kind, remaining_ms, size, fields, companion }
