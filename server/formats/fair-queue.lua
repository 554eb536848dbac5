-- Shared by the scripts that release a lock: finds the next waiter in the queue of Redisson's fair lock.
--
-- KEYS[3] the queue (list)       KEYS[4] when each waiter in it times out, in ms (sorted set)

-- A client can write elements of any size to the list, and a script would copy them. The size is estimated as that of the
-- first node, which contains the head, times the number of nodes.
local QUEUE_BYTES_MAX = 4194304
local WAITERS_REMOVED_MAX = 1000

-- First removes waiters that have timed out, as every call of the library does. A dead waiter at the head would block
-- all others, because only the head subscribes to releases.
local function find_queue_head(now_ms)
  for _ = 1, WAITERS_REMOVED_MAX do
    local bytes = redis.pcall('MEMORY', 'USAGE', KEYS[3], 'SAMPLES', '1')
    if type(bytes) == 'number' and bytes > QUEUE_BYTES_MAX then return nil end
    local head = redis.pcall('LINDEX', KEYS[3], 0)
    if type(head) ~= 'string' or #head > VALUE_BYTES_MAX then return nil end
    local score = redis.pcall('ZSCORE', KEYS[4], head)
    local until_ms = type(score) == 'string' and tonumber(score)
    if not until_ms or until_ms > now_ms then return head end
    redis.call('ZREM', KEYS[4], head)
    redis.call('LPOP', KEYS[3])
  end
end
