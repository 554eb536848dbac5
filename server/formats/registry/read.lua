-- Reads one key and its auxiliary keys atomically. Changes nothing.
--
-- KEYS[1] the key       KEYS[2] its companion
-- KEYS[3] waiters of Lockkeeper's verbs (sorted set)       KEYS[4] Redisson's fencing counter
-- KEYS[5] Redisson's fair queue (list)       KEYS[6] the permits of Redisson's semaphore (sorted set)
-- KEYS[7] until when each waiter of Lockkeeper in that queue is alive (sorted set)
-- KEYS[8] the permits of Lockkeeper's holds of a plain semaphore (sorted set)
-- KEYS[2] to KEYS[8] are optional
-- ARGV[1] maximum fields of a hash, ARGV[2] maximum bytes of a string, ARGV[3] maximum members of a set or sorted set that
-- are read
-- ARGV[4] maximum bytes of a hash, set or sorted set that is read, ARGV[5] maximum bytes of a companion
--
-- Returns {now ms, type, TTL in ms (-1: none, -2: no key), size, content, the companion or '' (too large),
--          waiters of Lockkeeper's verbs outside the fair queue, fencing counter or '', live waiters in the fair queue as far
--          as known, acquired permits (flat, those that expire first), memory in bytes of the content or, for a string, of the
--          permits (0: not measured, -1: cannot be measured), 1 if the permits are those of a plain semaphore, else 0}
-- content: fields of a hash, members of a set, members and scores of a sorted set, empty if there are too many or they
--          are too large; the beginning of a string

-- include read-key.lua

return read_key()
