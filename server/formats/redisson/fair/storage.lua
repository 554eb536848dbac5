-- The storage of Redisson's fair lock, which is a plain Redisson lock whose waiters have a queue (queue.lua). Included
-- by each verb.

-- include ../storage.lua

local store_plain_hold = store_hold

-- Stores the hold of a plain lock. The companion names the kind, because the lock itself does not.
local function store_hold(k, token, total_ms, now_ms, unit)
  local _, taken_ms = store_plain_hold(k, token, total_ms, now_ms, unit)
  return 'fair', taken_ms
end
