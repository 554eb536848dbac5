-- Reads the count of a latch. Changes nothing.
--
-- The first key is the latch.
-- KEYS[2] when a client of Lockkeeper last opened the latch, in µs
-- KEYS[3] the companion of the key    KEYS[4] and KEYS[5] the permits if it is a semaphore
--
-- Returns {'count', now ms, count (0: open), when the latch was last opened, in µs, or '0'}
--         {'not_a_lock', type, '', kind of lock that uses the key, or ''}

-- include latch.lua

local time = redis.call('TIME')
local state, count, kind = read_latch(3, 4, 5)
if state == 'fault' then return count end
if state == 'not_a_lock' then return { state, count, '', kind } end
local opened = read_text(2, COUNTER_BYTES_MAX)
return { 'count', format_integer(tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)), format_integer(count),
  is_counter(opened) and opened or '0' }
