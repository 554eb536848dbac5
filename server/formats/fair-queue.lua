-- Shared by the scripts that change the queue of Redisson's fair lock. Lockkeeper's waiters are stored like Redisson's
-- waiters, and also renew a heartbeat in a sorted set. A waiter without a heartbeat belongs to Redisson and counts as
-- alive until its timeout. Requires bounds.lua and event.lua.
--
-- The functions take the numbers of three keys:
-- KEYS[q] the queue (list)       KEYS[t] when each waiter in it times out, in ms (sorted set)
-- KEYS[l] until when each waiter of Lockkeeper is alive, in ms; negative while its place is only kept (sorted set); optional

-- Maximum size of the list, because any client can write large elements, which a script would copy. The size is
-- estimated as the size of the first node, which contains the head, times the number of nodes.
local QUEUE_BYTES_MAX = 4194304
local WAITERS_REMOVED_MAX = 1000
-- Maximum number of waiters whose timeouts are changed. Only clients of Redisson can build a longer queue.
local TIMEOUTS_CHANGED_MAX = 4096
-- Time after its last attempt for which a waiter of Lockkeeper counts as alive. Its client tries at least every two
-- seconds.
local HEARTBEAT_MS = 6000

local function read_score(k, member)
  local score = redis.pcall('ZSCORE', KEYS[k], member)
  return type(score) == 'string' and tonumber(score) or nil
end

-- Returns the time in ms until which a waiter of Lockkeeper counts as alive, negative while only its place is kept; nil
-- for a client of Redisson. If the server's clock was set back, shortens the heartbeat to its full length from now.
local function read_heartbeat(l, member, now_ms)
  local heartbeat = KEYS[l] and read_score(l, member)
  if not heartbeat or math.abs(heartbeat) <= now_ms + HEARTBEAT_MS then return heartbeat end
  heartbeat = (heartbeat < 0 and -1 or 1) * (now_ms + HEARTBEAT_MS)
  redis.call('ZADD', KEYS[l], format_integer(heartbeat), member)
  return heartbeat
end

-- Whether the waiter at the head is gone. A waiter whose place is only kept is gone as soon as it is its turn.
local function is_gone(t, member, heartbeat, now_ms, is_free)
  if heartbeat then return heartbeat >= 0 and heartbeat <= now_ms or heartbeat < 0 and (is_free or -heartbeat <= now_ms) end
  local until_ms = read_score(t, member)
  return until_ms ~= nil and until_ms <= now_ms
end

-- Returns the waiter at the head; nil if the queue is empty; nil and true if the head cannot be read.
local function read_head(q)
  local bytes = redis.pcall('MEMORY', 'USAGE', KEYS[q], 'SAMPLES', '1')
  if type(bytes) == 'number' and bytes > QUEUE_BYTES_MAX then return nil, true end
  local head = redis.pcall('LINDEX', KEYS[q], '0')
  if type(head) ~= 'string' then return nil, type(head) == 'table' end
  if #head > VALUE_BYTES_MAX then return nil, true end
  return head
end

-- Decreases the timeouts of the waiters from index `from` on, because `waiters` waiters ahead of them have left. In
-- Redisson, the timeout increases by the fair wait time with each place in the queue, and decreases by the same time
-- for each waiter ahead that leaves. Unlike in Redisson, a timeout that is at least the fair wait time away stays at
-- least that far away, because a live client of Redisson could otherwise lose its place.
local function decrease_timeouts(q, t, from, waiters, now_ms, fair_wait_ms)
  local behind = redis.call('LRANGE', KEYS[q], format_integer(from), format_integer(from + TIMEOUTS_CHANGED_MAX - 1))
  for i = 1, #behind do
    local until_ms = read_score(t, behind[i])
    if until_ms then
      local next_ms = math.max(until_ms - waiters * fair_wait_ms, math.min(until_ms, now_ms + fair_wait_ms))
      redis.call('ZADD', KEYS[t], format_integer(next_ms), behind[i])
    end
  end
end

-- Returns the waiter whose turn it is, and its heartbeat; nil if the queue is empty; nil and true if the queue cannot
-- be read. First removes waiters that are gone, as each call of Redisson does, because a dead waiter at the head would
-- block all others.
--
-- is_free: whether the head can acquire the lock now. fair_wait_ms: the fair wait time; nil if unknown. caller:
-- optional; the client that runs this script, which is alive even if its heartbeat is late.
local function find_queue_head(q, t, l, now_ms, is_free, fair_wait_ms, caller)
  local removed_count = 0
  local head, is_unreadable, heartbeat
  for _ = 0, WAITERS_REMOVED_MAX do
    head, is_unreadable = read_head(q)
    if not head then break end
    heartbeat = read_heartbeat(l, head, now_ms)
    if head == caller or not is_gone(t, head, heartbeat, now_ms, is_free) then break end
    if heartbeat then
      removed_count = removed_count + 1
      redis.call('ZREM', KEYS[l], head)
    end
    redis.pcall('ZREM', KEYS[t], head)
    redis.call('LPOP', KEYS[q])
  end
  -- Only removed waiters of Lockkeeper count here. Redisson's removed waiters had reached their timeouts, so the
  -- timeouts behind them are correct.
  if head and removed_count > 0 and fair_wait_ms then decrease_timeouts(q, t, 0, removed_count, now_ms, fair_wait_ms) end
  -- Without a timeout, a client of Redisson would never be removed.
  if head and not heartbeat and fair_wait_ms and not read_score(t, head) then
    redis.pcall('ZADD', KEYS[t], 'NX', format_integer(now_ms + fair_wait_ms), head)
  end
  return head, head and heartbeat or is_unreadable
end

-- Wakes the waiter at the head. Each waiter of a fair lock has its own channel.
local function wake_queued(channel, head, is_sharded)
  redis.pcall('PUBLISH', channel .. ':' .. head, '0')
  if is_sharded then redis.pcall('SPUBLISH', channel .. ':' .. head, '0') end
end
