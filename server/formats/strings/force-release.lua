-- Frees a lock that some library keeps in one string, on an operator's word, or holds it off for a while.
--
-- Guarantee: frees the value that was seen or nothing, and no hold of ours, which force-release.lua of the verbs frees.
-- Waiters of every library that may have written the lock are woken as by its own release, unless the lock is reserved.
--
-- KEYS[1] the lock       KEYS[2] its companion
-- KEYS[3] the list that waiters are blocked on, left out when there is none
-- ARGV[1] value that was seen    ARGV[2] JSON of who and why
-- ARGV[3] channel that our own waiters listen on    ARGV[4] channel for events
-- ARGV[5] '' or for how long nobody may take the lock after this, in ms    ARGV[6] the reserved owner for that
-- ARGV[7] '1' when our waiters may listen by sharded pub/sub, too
-- Behind them: channels that waiters listen on and what is published there, in turn
--
-- Returns {'released', now ms}   {'gone', now ms}   {'changed', now ms}   {'not_a_lock', type}

local FORMAT = 'token'
local margin_ms = 0

-- include ../companion.lua
-- include signals.lua

-- The key is there all the while, as in a format's storage.lua.
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

local freed = format_event('force_released', now_ms, '', 0, 0, '', value, ARGV[2], KEYS[1])
if ARGV[5] ~= '' then
  local taken = reserve_lock(kept, value, ARGV[6], tonumber(ARGV[5]), now_us, nil)
  redis.pcall('PUBLISH', ARGV[4], freed)
  redis.pcall('PUBLISH', ARGV[4], taken)
  return { 'released', format_integer(now_ms) }
end

redis.call('DEL', KEYS[1])
redis.pcall('PUBLISH', ARGV[4], freed)
signal_other_libraries(3, 8)
redis.pcall('PUBLISH', ARGV[3], '0')
if ARGV[7] == '1' then redis.pcall('SPUBLISH', ARGV[3], '0') end
return { 'released', format_integer(now_ms) }
