-- Shared by the scripts that free a lock: who is next in the queue of Redisson's fair lock.
--
-- KEYS[3] the queue (list)       KEYS[4] when each who waits in it is given up, in ms (sorted set)

-- Takes those out first who were given up, as each call of the library does: a dead one at the head would keep all
-- others waiting, and only the head listens for what is published.
local function find_queue_head(now_ms)
  while true do
    local head = redis.pcall('LINDEX', KEYS[3], 0)
    if type(head) ~= 'string' then return nil end
    local score = redis.pcall('ZSCORE', KEYS[4], head)
    local until_ms = type(score) == 'string' and tonumber(score)
    if not until_ms or until_ms > now_ms then return head end
    redis.call('ZREM', KEYS[4], head)
    redis.call('LPOP', KEYS[3])
  end
end
