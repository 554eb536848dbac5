-- Releases all acquired permits, or one, of Redisson's expirable semaphore for an operator.
--
-- Guarantee: releases the permits that the operator saw, each once, or nothing. 'all' releases them only if no others
-- are acquired. Wakes waiters as Redisson's release does.
--
-- KEYS[1] available permits       KEYS[2] acquired permits (sorted set)
-- ARGV[1] 'all' or 'one'    ARGV[2] JSON of actor and reason    ARGV[3] channel of waiters
-- ARGV[4] channel for events    ARGV[5] '1' if waiters may also use sharded pub/sub
-- The rest of the arguments: the permits to release, each as its bytes and its display name
--
-- Returns {'released', now ms}   {'gone', now ms}   {'changed', now ms}   {'not_a_lock', type}

-- include ../event.lua

local time = redis.call('TIME')
local now_ms = math.floor(tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000)

local left = redis.pcall('GETRANGE', KEYS[1], 0, COUNTER_BYTES_MAX)
if type(left) == 'table' and not is_wrong_type(left) then return left end
if left == '' and redis.call('EXISTS', KEYS[1]) == 0 then return { 'gone', format_integer(now_ms) } end
local out = type(left) == 'string' and is_counter(left) and redis.pcall('ZCARD', KEYS[2])
if type(out) ~= 'number' then return { 'not_a_lock', redis.call('TYPE', KEYS[1]).ok } end

local asked, found, alive = (#ARGV - 5) / 2, 0, 0
for i = 6, #ARGV, 2 do
  local end_ms = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[i]) or '')
  if end_ms then found = found + 1 end
  if end_ms and end_ms > now_ms then alive = alive + 1 end
end
local others = ARGV[1] == 'all' and redis.call('ZCOUNT', KEYS[2], '(' .. format_integer(now_ms), '+inf') - alive or 0
if found == 0 and others == 0 then return { 'gone', format_integer(now_ms) } end
if found < asked or others > 0 then return { 'changed', format_integer(now_ms) } end

local released = 0
for i = 6, #ARGV, 2 do
  released = released + redis.call('ZREM', KEYS[2], ARGV[i])
  redis.pcall('PUBLISH', ARGV[4], format_event('force_released', now_ms, '', 0, 0, '', ARGV[i + 1], ARGV[2], KEYS[1]))
end
local available = format_integer(redis.call('INCRBY', KEYS[1], format_integer(released)))
redis.pcall('PUBLISH', ARGV[3], available)
if ARGV[5] == '1' then redis.pcall('SPUBLISH', ARGV[3], available) end
return { 'released', format_integer(now_ms) }
