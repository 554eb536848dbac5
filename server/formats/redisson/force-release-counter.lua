-- Releases one permit of Redisson's semaphore, or opens a Redisson latch, for an operator.
--
-- Guarantee: changes the number that the operator saw, or nothing. Wakes waiters as Redisson's release does.
--
-- KEYS[1] the key that contains the number
-- For a latch: KEYS[2] when the latch was last opened, in µs    KEYS[3] the companion of the key
-- ARGV[1] 'semaphore' or 'latch'    ARGV[2] the expected number    ARGV[3] its holder, as displayed
-- ARGV[4] JSON of actor and reason    ARGV[5] channel of waiters    ARGV[6] channel for events
-- ARGV[7] '1' if waiters may also use sharded pub/sub
--
-- Returns {'released', now ms}   {'gone', now ms}   {'changed', now ms}   {'not_a_lock', type}

-- include latch/latch.lua

local time = redis.call('TIME')
local now_us = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now_ms = math.floor(now_us / 1000)

local number = redis.pcall('GETRANGE', KEYS[1], 0, COUNTER_BYTES_MAX)
if type(number) == 'table' then
  if not is_wrong_type(number) then return number end
  return { 'not_a_lock', redis.call('TYPE', KEYS[1]).ok }
end
if number == '' and redis.call('EXISTS', KEYS[1]) == 0 then return { 'gone', format_integer(now_ms) } end
if not is_counter(number) then return { 'not_a_lock', 'string' } end
if number ~= ARGV[2] then return { 'changed', format_integer(now_ms) } end

-- The message is 0 for an open latch, and the number of permits for a semaphore.
local message, held = '0', 0
if ARGV[1] == 'latch' then
  -- Deletes first: a full Redis refuses a script only if its first write needs memory.
  redis.call('DEL', KEYS[1])
  record_opening(2, now_us)
  store_latch_kind(3, '')
else
  message, held = format_integer(redis.call('INCRBY', KEYS[1], 1)), 1
end
redis.pcall('PUBLISH', ARGV[6], format_event('force_released', now_ms, '', 0, held, '', ARGV[3], ARGV[4], KEYS[1]))
redis.pcall('PUBLISH', ARGV[5], message)
if ARGV[7] == '1' then redis.pcall('SPUBLISH', ARGV[5], message) end
return { 'released', format_integer(now_ms) }
