-- Removes a waiter from the queue of a fair lock, or keeps its place for a short time.
--
-- Guarantee: changes only the queue and the list of waiters. If another client with the same request id has renewed the
-- waiter, nothing is changed. A kept place is removed as soon as it reaches the head and the lock is free. If the lock
-- is free, the next waiter is woken.
--
-- KEYS[1] the waiters (sorted set: id, since, owner and declaration -> end of the wait in ms)       KEYS[2] the lock
-- KEYS[3] the queue (list)       KEYS[4] when each waiter in it times out (sorted set)
-- KEYS[5] until when each waiter of Lockkeeper is alive (sorted set)
-- ARGV[1] id of the waiter in the queue    ARGV[2] when the waiter began to wait, in ms, or '' if its client does not know
-- ARGV[3] owner, and after a tab what the waiter declares    ARGV[4] '0' or how long the place is kept, in ms
-- ARGV[5] channel for events    ARGV[6] the key of the lock, as bytes
-- ARGV[7] the fair wait time in ms    ARGV[8] channel of waiters    ARGV[9] '1' if waiters may also use sharded pub/sub
-- ARGV[10] '' or the server's time of this client's last attempt, in ms    ARGV[11] '1' if the place is already kept
--
-- Returns {'kept', now ms, remaining ms of the lock (-1: no TTL, -2: free)}    {'left', now ms}

-- include ../../event.lua
-- include ../../waiter.lua
-- include queue.lua

local waiter, since, owner, keep_ms = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local fair_wait_ms, seen_ms, is_kept = tonumber(ARGV[7]), tonumber(ARGV[10] or ''), ARGV[11] == '1'

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local function forget_waiter()
  if since == '' then remove_waiter(1, waiter) else redis.pcall('ZREM', KEYS[1], format_waiter(waiter, since, owner)) end
end

local heartbeat = read_heartbeat(5, waiter, now_ms)
local is_renewed = heartbeat and heartbeat >= 0 and (is_kept or seen_ms and heartbeat > seen_ms + HEARTBEAT_MS)
if is_renewed or is_kept and not heartbeat then return { 'left', format_integer(now_ms) } end

if not is_kept then
  redis.pcall('PUBLISH', ARGV[5], format_event('wait_ended', now_ms, '', 0, 0, '', string.match(owner, '^[^\t]*'), '', ARGV[6]))
end
local remaining_ms = redis.call('PTTL', KEYS[2])
if keep_ms > 0 and is_queued(3, waiter) and (remaining_ms ~= -2 or read_head(3) ~= waiter) then
  if not is_kept then
    redis.call('ZADD', KEYS[5], format_integer(-now_ms - keep_ms), waiter)
    if since ~= '' then
      redis.pcall('ZADD', KEYS[1], 'XX', format_integer(now_ms + keep_ms), format_waiter(waiter, since, owner))
    end
  end
  return { 'kept', format_integer(now_ms), format_integer(remaining_ms) }
end

leave_queue(3, 4, 5, waiter, now_ms, fair_wait_ms)
forget_waiter()
if remaining_ms == -2 then wake_next(3, 4, 5, ARGV[8], ARGV[9] == '1', now_ms, true, fair_wait_ms) end
return { 'left', format_integer(now_ms) }
