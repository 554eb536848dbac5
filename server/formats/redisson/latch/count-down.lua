-- Decreases the count of a latch. At 0 the latch opens and its waiters are woken.
--
-- Guarantee: a repeated request counts once and returns its first result. An open latch stays open, and no other data is changed.
--
-- KEYS[1] the latch    KEYS[2] the request: its verb and digest    KEYS[3] when the latch was last opened, in µs
-- KEYS[4] the companion of the key    KEYS[5] and KEYS[6] the permits if it is a semaphore
-- ARGV[1] digest of the request    ARGV[2] channel of waiters    ARGV[3] '1' if waiters may also use sharded pub/sub
--
-- Returns {'counted', now ms, remaining count}    {'request_id_reused'}
--         {'not_a_lock', type, '', kind of lock that uses the key, or ''}

-- include latch.lua

local time = redis.call('TIME')
local now_us = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now = format_integer(math.floor(now_us / 1000))

local state, count, kind = read_latch(4, 5, 6)
if state == 'fault' then return count end
local earlier = find_earlier_request(2, 'count_down', ARGV[1])
if earlier == 'reused' then return { 'request_id_reused' } end
if state == 'not_a_lock' then return { state, count, '', kind } end
if earlier then return { 'counted', now, earlier } end
if state == 'open' then return { 'counted', now, '0' } end

-- The request is recorded before the count changes, so that it cannot count twice if the script fails between these
-- steps.
remember_latch_request(2, 'count_down', ARGV[1], format_integer(count - 1))
if count > 1 then
  redis.call('INCRBY', KEYS[1], -1)
  return { 'counted', now, format_integer(count - 1) }
end
record_opening(3, now_us)
redis.call('DEL', KEYS[1])
store_latch_kind(4, '')
publish_latch(ARGV[2], '0', ARGV[3] == '1')
return { 'counted', now, '0' }
