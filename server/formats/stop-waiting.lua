-- Removes a waiter from the list of waiters, or keeps its place for a short time.
--
-- Guarantee: changes only the list. A kept place expires.
--
-- KEYS[1] the waiters (sorted set: request id, since, owner and declaration -> end of the wait in ms)
-- KEYS[2] only for a writer of a read/write lock: the waiting writers (sorted set: waiter and since -> until when readers
--         give way, in ms). The readers that gave way to the writer are woken
-- ARGV[1] request id    ARGV[2] when the waiter began to wait, in ms, or '' if its client does not know
-- ARGV[3] owner, and after a tab what the waiter declares
-- ARGV[4] '0' or how long the place is kept, in ms
-- ARGV[5] channel for events    ARGV[6] the key of the lock, as bytes
-- ARGV[7] channel of the waiters    ARGV[8] '1' if waiters may also use sharded pub/sub; both only with KEYS[2]
--
-- Returns {'wait_ended', now ms}

-- include event.lua
-- include bounds.lua
-- include waiter.lua

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local name = format_waiter(ARGV[1], ARGV[2], ARGV[3])

if ARGV[2] == '' then
  remove_waiter(1, ARGV[1])
elseif ARGV[4] == '0' then
  redis.pcall('ZREM', KEYS[1], name)
else
  redis.pcall('ZADD', KEYS[1], 'XX', format_integer(now_ms + tonumber(ARGV[4])), name)
end
if KEYS[2] then
  redis.pcall('ZREM', KEYS[2], ARGV[1] .. '\t' .. ARGV[2])
  redis.pcall('PUBLISH', ARGV[7], '1')
  if ARGV[8] == '1' then redis.pcall('SPUBLISH', ARGV[7], '1') end
end
redis.pcall('PUBLISH', ARGV[5], format_event('wait_ended', now_ms, '', 0, 0, '', string.match(ARGV[3], '^[^\t]*'), '', ARGV[6]))
return { 'wait_ended', format_integer(now_ms) }
