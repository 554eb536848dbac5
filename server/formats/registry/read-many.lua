-- Reads several keys of one server, each as read.lua does. Changes nothing.
--
-- KEYS[1] a key       KEYS[2] its companion
-- KEYS[3] waiters of Lockkeeper's verbs (sorted set)       KEYS[4] Redisson's fencing counter
-- KEYS[5] Redisson's fair queue (list)       KEYS[6] the permits of Redisson's semaphore (sorted set)
-- KEYS[7] until when each waiter of Lockkeeper in that queue is alive (sorted set)
-- KEYS[8] the permits of Lockkeeper's holds of a plain semaphore (sorted set)
-- and so on, eight per key
-- ARGV[1] maximum fields of a hash, ARGV[2] maximum bytes of a string, ARGV[3] maximum members of a set or sorted set that
-- are read
-- ARGV[4] maximum bytes of a hash, set or sorted set that is read, ARGV[5] maximum bytes of a companion
--
-- Returns for each key what read.lua returns, or its error.

local KEYS_EACH = 8

local given = KEYS
local KEYS

-- include read-key.lua

local replies = {}
for first = 1, #given, KEYS_EACH do
  KEYS = { unpack(given, first, first + KEYS_EACH - 1) }
  local ran, reply = pcall(read_key)
  -- Redis 6.2 and 7.0 raise errors as strings, newer versions as tables.
  replies[#replies + 1] = (ran or type(reply) == 'table') and reply or { err = 'ERR ' .. string.gsub(reply, '[\r\n]', ' ') }
end
return replies
