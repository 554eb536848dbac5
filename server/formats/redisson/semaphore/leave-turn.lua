-- Removes a waiter whose client has left from the queue, ends its claim, and wakes the waiters that gave way to the
-- client.
--
-- Guarantee: changes only the queue and the claim, and only those of the named client.
--
-- KEYS[1] the semaphore    KEYS[2] the claim of the waiter whose turn it is    KEYS[3] the queue of waiters (hash)
-- ARGV[1] id of the client    ARGV[2] channel of waiters    ARGV[3] '1' if waiters may also use sharded pub/sub
-- ARGV[4] '1' to keep the claim until it expires, for a client that may return
--
-- Returns 'left'

-- include ../../event.lua
-- include wake.lua

redis.pcall('HDEL', KEYS[3], 'w:' .. ARGV[1])
local stored = redis.pcall('GET', KEYS[2])
if ARGV[4] ~= '1' and type(stored) == 'string' and string.match(stored, '^%d+\t(.+)$') == ARGV[1] then
  redis.call('DEL', KEYS[2])
  publish_permits(1, ARGV[2], ARGV[3] == '1')
end
return 'left'
