-- Sets the total number of permits of an expirable semaphore, and creates a missing semaphore.
--
-- Guarantee: changes only a semaphore, recognized as in acquire.lua, and no acquired permit. If more permits are acquired
-- than the new limit, the number of available permits is negative until enough of them are released. A repeated call
-- changes nothing.
--
-- KEYS[1] the semaphore    KEYS[2] the companion of the key    KEYS[3] the acquired permits (sorted set)
-- KEYS[4] the acquired permits of a plain semaphore (sorted set)
-- ARGV[1] total number of permits    ARGV[2] channel of waiters    ARGV[3] '1' if waiters may also use sharded pub/sub
--
-- Returns {'limited', now ms, available permits, acquired permits, total before (-1: no semaphore)}
--         {'not_a_lock', type, '', kind of lock that uses the key, or ''}

-- include storage.lua
-- include recognition.lua
-- include ../../other-kind.lua

local KEY_COMPANION_MS = 172800000

local limit = tonumber(ARGV[1])
local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local state, available, acquired = read_semaphore()
if state == 'fault' then return available end
local last = read_companion(2)
if state == 'not_a_lock' then return { state, available, '', available == 'hash' and find_hash_kind(1) or '' } end
if state == 'semaphore' and acquired == 0 and last.value == 'latch' then return { 'not_a_lock', 'string', '', 'latch' } end
if has_permits_at(4) then return { 'not_a_lock', 'string', '', OTHER_KIND } end
if state == 'semaphore' and not is_recognized(available, acquired, last, limit) then return { 'not_a_lock', 'string' } end

local total_before = state == 'missing' and -1 or available + acquired
reclaim_permits(now_ms)
acquired = redis.call('ZCARD', KEYS[3])
if state == 'missing' then
  redis.call('SET', KEYS[1], format_integer(limit - acquired))
else
  -- INCRBY keeps the TTL of the semaphore, which SET would remove.
  redis.call('INCRBY', KEYS[1], format_integer(limit - acquired - tonumber(redis.call('GET', KEYS[1]))))
end
forget_hold(last)
last.format, last.value = FORMAT, KIND
redis.call('SET', KEYS[2], format_companion(last), 'PX', KEY_COMPANION_MS)
publish_permits(1, ARGV[2], ARGV[3] == '1')
return { 'limited', format_integer(now_ms), format_integer(limit - acquired), format_integer(acquired),
  format_integer(total_before) }
