-- Closes an open latch with a count.
--
-- Guarantee: changes neither a closed latch nor other data. A repeated request returns its first result.
--
-- KEYS[1] the latch    KEYS[2] the request: its verb and digest    KEYS[3] the companion of the key
-- KEYS[4] and KEYS[5] the permits if it is a semaphore
-- ARGV[1] count    ARGV[2] digest of the request    ARGV[3] channel of waiters
-- ARGV[4] '1' if waiters may also use sharded pub/sub
--
-- Returns {'set', now ms, count}    {'already_set', now ms, count}    {'request_id_reused'}
--         {'not_a_lock', type, '', kind of lock that uses the key, or ''}

-- include latch.lua

local time = redis.call('TIME')
local now = format_integer(tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000))

local state, count, kind = read_latch(3, 4, 5)
if state == 'fault' then return count end
local earlier = find_earlier_request(2, 'set', ARGV[2])
if earlier == 'reused' then return { 'request_id_reused' } end
if state == 'not_a_lock' then return { state, count, '', kind } end
if earlier then return { 'set', now, earlier } end
if state == 'closed' then return { 'already_set', now, format_integer(count) } end

remember_latch_request(2, 'set', ARGV[2], ARGV[1])
redis.call('SET', KEYS[1], ARGV[1])
store_latch_kind(3, 'latch')
publish_latch(ARGV[3], '1', ARGV[4] == '1')
return { 'set', now, ARGV[1] }
