-- Ends the claim of a waiter that left, and wakes the waiters that gave way to it.
--
-- Guarantee: changes only the claim, and only that of the named client.
--
-- KEYS[1] the semaphore    KEYS[2] the claim of the waiter whose turn it is
-- ARGV[1] id of the client    ARGV[2] channel of waiters    ARGV[3] '1' if waiters may also use sharded pub/sub
--
-- Returns 'left'

-- include ../../event.lua
-- include wake.lua

local stored = redis.pcall('GET', KEYS[2])
if type(stored) == 'string' and string.match(stored, '^%d+\t(.+)$') == ARGV[1] then
  redis.call('DEL', KEYS[2])
  publish_permits(1, ARGV[2], ARGV[3] == '1')
end
return 'left'
