-- Force-releases one or all holders of a lock that is a set of them.
--
-- Guarantee: releases the holders that the operator saw, or nothing.
--
-- KEYS[1] the lock
-- ARGV[1] channel for events    ARGV[2] JSON of actor and reason
-- ARGV[3] 'all': there must be no other holder; 'some': other holders keep the lock
-- then the owners
--
-- Returns {'released', now ms}   {'gone', now ms}   {'changed', now ms}   {'not_a_lock', type}

-- include ../event.lua

local FIRST = 4
local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then return { 'gone', format_integer(now_ms) } end
if kind ~= 'set' then return { 'not_a_lock', kind } end

local present = 0
for i = FIRST, #ARGV do present = present + redis.call('SISMEMBER', KEYS[1], ARGV[i]) end
local held = ARGV[3] == 'all' and redis.call('SCARD', KEYS[1]) or present
if present == 0 and held == 0 then return { 'gone', format_integer(now_ms) } end
if present < #ARGV - FIRST + 1 or held > present then return { 'changed', format_integer(now_ms) } end

for i = FIRST, #ARGV do
  redis.call('SREM', KEYS[1], ARGV[i])
  redis.pcall('PUBLISH', ARGV[1], format_event('force_released', now_ms, '', 0, 0, '', ARGV[i], ARGV[2], KEYS[1]))
end
return { 'released', format_integer(now_ms) }
