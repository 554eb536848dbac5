-- Force-releases locks that are fields in a hash with other data.
--
-- Guarantee: deletes the fields that the operator saw if all of them still have the same values, or nothing. Other
-- fields are kept.
--
-- KEYS[1] the hash
-- ARGV[1] channel for events    ARGV[2] JSON of actor and reason
-- then fields and values, alternating
--
-- Returns {'released', now ms}   {'gone', now ms}   {'changed', now ms}   {'not_a_lock', type}

-- include ../event.lua

local FIRST = 3
local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then return { 'gone', format_integer(now_ms) } end
if kind ~= 'hash' then return { 'not_a_lock', kind } end

local unchanged, missing = 0, 0
for i = FIRST, #ARGV, 2 do
  local value = read_field(1, ARGV[i], VALUE_BYTES_MAX)
  if value == nil then missing = missing + 1 end
  if value == ARGV[i + 1] then unchanged = unchanged + 1 end
end
local asked = (#ARGV - FIRST + 1) / 2
if missing == asked then return { 'gone', format_integer(now_ms) } end
if unchanged < asked then return { 'changed', format_integer(now_ms) } end

for i = FIRST, #ARGV, 2 do
  redis.call('HDEL', KEYS[1], ARGV[i])
  redis.pcall('PUBLISH', ARGV[1], format_event('force_released', now_ms, '', 0, 0, '', ARGV[i], ARGV[2], KEYS[1]))
end
return { 'released', format_integer(now_ms) }
