-- Reclaims the permits of dead holders, and wakes waiters. Every other script of the semaphore also does this. This
-- script is for a semaphore with no other calls, whose Redisson waiters sleep until they receive a message.
--
-- Guarantee: reclaims only permits whose lease has ended, each once. A repeated call changes nothing.
--
-- KEYS[1] the semaphore    KEYS[3] the permits of Lockkeeper's holds (sorted set)
-- The second key is not used.
-- ARGV[1] channel of waiters    ARGV[2] '1' if waiters may also use sharded pub/sub
--
-- Returns ms until the next permit expires (-1: no permit is acquired)    {'not_a_lock', type}

-- include format/storage.lua

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local state, detail = read_semaphore()
if state == 'fault' then return detail end
if state == 'not_a_lock' then return { state, detail } end
if reclaim_permits(now_ms) > 0 then publish_permits(1, ARGV[1], ARGV[2] == '1') end
local first = redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')[2]
return first and format_integer(math.max(0, tonumber(first) - now_ms)) or '-1'
