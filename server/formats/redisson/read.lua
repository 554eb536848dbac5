-- Looks at one key and its companion at one moment; changes nothing.
--
-- KEYS[1] the key       KEYS[2] its companion
--
-- Returns {now ms, type, time to live in ms (-1: none), size of a hash, its fields (flat, none when too many),
--          companion's owner, fence, since, lease, record, seq ('' where there is none)}

-- include shape.lua

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local kind = redis.call('TYPE', KEYS[1]).ok
local remaining_ms = kind == 'none' and -2 or redis.call('PTTL', KEYS[1])
if kind ~= 'hash' then return { integer(now_ms), kind, integer(remaining_ms), 0, {}, '', '', '', '', '', '' } end

local size = redis.call('HLEN', KEYS[1])
local fields = size <= FIELDS_MAX and redis.call('HGETALL', KEYS[1]) or {}
local told = facts(redis.pcall('HMGET', KEYS[2], 'owner', 'fence', 'since', 'lease', 'record', 'seq'))
return { integer(now_ms), kind, integer(remaining_ms), size, fields,
  told[1] or '', told[2] or '', told[3] or '', told[4] or '', told[5] or '', told[6] or '' }
