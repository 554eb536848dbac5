-- Force-releases or reserves a lock that another library stores in one string.
--
-- Guarantee: releases the value that the operator saw, or nothing. Never releases a Lockkeeper hold; the verbs'
-- force-release.lua does that. Unless the lock is reserved, wakes the waiters of every library that may have written
-- the lock, as the library itself would.
--
-- KEYS[1] the lock       KEYS[2] its companion
-- KEYS[3] the list on which waiters block; optional
-- ARGV[1] expected value    ARGV[2] JSON of actor and reason
-- ARGV[3] channel of Lockkeeper's waiters    ARGV[4] channel for events
-- ARGV[5] '' or the duration of the reservation, in ms    ARGV[6] the reserved owner
-- ARGV[7] '1' if Lockkeeper's waiters may also use sharded pub/sub
-- Then channels of waiters and their messages, alternating
--
-- Returns {'released', now ms}   {'gone', now ms}   {'changed', now ms}   {'not_a_lock', type}

local FORMAT = 'token'
local margin_ms = 0

-- include ../companion.lua
-- include signals.lua

-- SET replaces the value, so that the key always exists, as in a format's storage.lua.
local function transfer_hold(_k, _token, next_token, total_ms, _now_ms, _unit)
  redis.call('PEXPIRE', KEYS[1], format_integer(total_ms))
  redis.call('SET', KEYS[1], next_token, 'PX', format_integer(total_ms))
  return '', total_ms
end

-- include ../reserve.lua

local seen = ARGV[1]

local time = redis.call('TIME')
local now_us = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now_ms = math.floor(now_us / 1000)

local value = redis.pcall('GETRANGE', KEYS[1], 0, VALUE_BYTES_MAX)
if type(value) == 'table' then
  if not is_wrong_type(value) then return value end
  return { 'not_a_lock', redis.call('TYPE', KEYS[1]).ok }
end
if value == '' and redis.call('EXISTS', KEYS[1]) == 0 then return { 'gone', format_integer(now_ms) } end
if #value > VALUE_BYTES_MAX then return { 'not_a_lock', 'string' } end

local kept = read_companion(2)
local ours = kept.token ~= '' and (kept.token == value or kept.value == value)
if ours or value ~= seen then return { 'changed', format_integer(now_ms) } end

local event = format_event('force_released', now_ms, '', 0, 0, '', value, ARGV[2], KEYS[1])
if ARGV[5] ~= '' then
  local taken = reserve_lock(kept, value, ARGV[6], tonumber(ARGV[5]), now_us, nil)
  redis.pcall('PUBLISH', ARGV[4], event)
  redis.pcall('PUBLISH', ARGV[4], taken)
  return { 'released', format_integer(now_ms) }
end

redis.call('DEL', KEYS[1])
redis.pcall('PUBLISH', ARGV[4], event)
signal_other_libraries(3, 8)
redis.pcall('PUBLISH', ARGV[3], '0')
if ARGV[7] == '1' then redis.pcall('SPUBLISH', ARGV[3], '0') end
return { 'released', format_integer(now_ms) }
