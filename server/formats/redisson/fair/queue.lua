-- The queue of Redisson's fair lock, whose head is the only client that may acquire the lock. Included by the verbs
-- that acquire or release.
--
-- KEYS[q] the queue (list)       KEYS[t] when each waiter in it times out, in ms (sorted set)
-- KEYS[l] until when each waiter of Lockkeeper is alive, in ms; negative while its place is only kept (sorted set)

-- include ../../fair-queue.lua

local HAS_QUEUE = true
-- Time by which the heartbeats outlive the timeouts, because a waiter without a heartbeat counts as a client of
-- Redisson.
local HEARTBEATS_MS_MORE = 60000

-- Returns the error reply if one of the keys does not contain a fair queue; nil if the queue is usable or empty. The
-- key of the heartbeats is reserved, so it is deleted if it has another type.
local function find_queue_fault(q, t, l)
  local size = redis.pcall('ZCARD', KEYS[l])
  if type(size) == 'table' then
    if not is_wrong_type(size) then return size end
    redis.call('DEL', KEYS[l])
  end
  local length, timeouts = redis.pcall('LLEN', KEYS[q]), redis.pcall('ZCARD', KEYS[t])
  if type(length) == 'table' then
    return is_wrong_type(length) and { 'not_a_lock', redis.call('TYPE', KEYS[q]).ok, 'redisson_lock_queue' } or length
  end
  if type(timeouts) == 'table' then
    return is_wrong_type(timeouts) and { 'not_a_lock', redis.call('TYPE', KEYS[t]).ok, 'redisson_lock_timeout' } or timeouts
  end
end

-- Removes dead waiters at the head. Returns the error reply if the queue cannot be used. Otherwise returns nil, the
-- maximum time in ms for which the lock is kept for the waiter at the head (nil: it is this client's turn), and that
-- waiter if it may need a wake-up.
local function assess_queue(q, t, l, waiter, is_free, now_ms, fair_wait_ms)
  local fault = find_queue_fault(q, t, l)
  if fault then return fault end
  local head, heartbeat = find_queue_head(q, t, l, now_ms, is_free, fair_wait_ms, waiter)
  if not head then return heartbeat and { 'not_a_lock', 'list', 'redisson_lock_queue' } or nil end
  if head == waiter then return nil end
  if heartbeat then return nil, math.abs(heartbeat) - now_ms end
  -- If the lease of the last holder expired, no message was sent, and a client of Redisson may sleep for longer.
  return nil, math.max(1, read_score(t, head) - now_ms), head
end

-- Whether no more waiters may join. The queue is limited because each grant changes the timeouts of all waiters.
local function is_queue_full(q, waiters_max)
  return redis.call('LLEN', KEYS[q]) >= waiters_max
end

local function is_queued(q, waiter)
  return type(redis.pcall('LPOS', KEYS[q], waiter)) == 'number'
end

-- Adds a waiter at the end of the queue as Redisson does, or renews its heartbeat. The timeout of a new waiter is the
-- fair wait time after the timeout of the last waiter, or after the lock ends. The timeout of a waiter is at least one
-- fair wait time per place from now, so that no client of Redisson removes a live waiter.
local function join_queue(q, t, l, waiter, now_ms, wait_ms, remaining_ms, fair_wait_ms)
  local at = redis.call('LPOS', KEYS[q], waiter)
  local until_ms = read_score(t, waiter)
  if type(at) ~= 'number' then
    local last = redis.call('LINDEX', KEYS[q], '-1')
    local from_ms = math.max(last and read_score(t, last) or 0, now_ms + math.max(0, remaining_ms))
    local size = redis.call('RPUSH', KEYS[q], waiter)
    until_ms = math.max(from_ms + fair_wait_ms, now_ms + size * fair_wait_ms)
    redis.call('ZADD', KEYS[t], format_integer(until_ms), waiter)
  elseif not until_ms or until_ms < now_ms + (at + 1) * fair_wait_ms then
    until_ms = now_ms + (at + 1) * fair_wait_ms
    redis.call('ZADD', KEYS[t], format_integer(until_ms), waiter)
  end
  redis.call('ZADD', KEYS[l], format_integer(now_ms + math.min(HEARTBEAT_MS, wait_ms)), waiter)
  local kept_ms = until_ms - now_ms + HEARTBEATS_MS_MORE
  if redis.call('PTTL', KEYS[l]) < kept_ms then redis.call('PEXPIRE', KEYS[l], format_integer(kept_ms)) end
end

-- Removes a waiter that has acquired the lock from the head of the queue.
local function take_turn(q, t, l, waiter, now_ms, fair_wait_ms)
  if redis.call('LINDEX', KEYS[q], '0') == waiter then
    redis.call('LPOP', KEYS[q])
    decrease_timeouts(q, t, 0, 1, now_ms, fair_wait_ms)
  end
  redis.call('ZREM', KEYS[t], waiter)
  redis.call('ZREM', KEYS[l], waiter)
end

-- Wakes the waiter whose turn it is.
local function wake_next(q, t, l, channel, is_sharded, now_ms, is_free, fair_wait_ms)
  if not KEYS[q] or channel == '' then return end
  local head = find_queue_head(q, t, l, now_ms, is_free, fair_wait_ms)
  if head then wake_queued(channel, head, is_sharded) end
end

-- Removes a waiter at any place in the queue.
local function leave_queue(q, t, l, waiter, now_ms, fair_wait_ms)
  local at = redis.pcall('LPOS', KEYS[q], waiter)
  if type(at) == 'number' then
    redis.call('LREM', KEYS[q], '1', waiter)
    decrease_timeouts(q, t, at, 1, now_ms, fair_wait_ms)
  end
  redis.pcall('ZREM', KEYS[t], waiter)
  redis.pcall('ZREM', KEYS[l], waiter)
end
