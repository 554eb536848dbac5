-- Ends a client's wait for a condition: either its wait for a signal, or the whole wait without re-acquiring the lock.
--
-- Guarantee: a signal that the client does not use passes to the next waiter.
--
-- KEYS[1] the waiters that wait for a signal (sorted set)    KEYS[2] the record of each waiter (hash)
-- KEYS[3] until when each waiter is alive (sorted set)
-- ARGV[1] the waiter
-- ARGV[2] 'stop' to end the wait for a signal    'leave' to remove the waiter    'keep' to keep it for a client that may return
-- ARGV[3] how long the waiter is kept, in ms, or ''    ARGV[4] channel of conditions
-- ARGV[5] '1' if waiters may also use sharded pub/sub
--
-- Returns {'signalled' or 'stopped', now ms, when the client stopped waiting in ms}    for 'stop'
--         {'lost', now ms, ''}    the waiter has no record
--         {'left', now ms, ''}    {'kept', now ms, ''}

-- include ../event.lua
-- include waiters.lua

local id, mode = ARGV[1], ARGV[2]

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local fault = prepare_waiters(1, 2, 3)
if fault then return fault end
local now = format_integer(now_ms)
local waiter = find_condition_waiter(2, id)
if not waiter then return { 'lost', now, '' } end

if mode == 'keep' then
  renew_heartbeat(1, 2, 3, waiter, now_ms + math.min(tonumber(ARGV[3]), HEARTBEAT_MS), now_ms)
  return { 'kept', now, '' }
end
renew_heartbeat(1, 2, 3, waiter, now_ms + HEARTBEAT_MS, now_ms)
if mode == 'stop' then
  if waiter.state == 'waiting' then end_wait(1, 2, waiter, 'stopped', '', now_ms) end
  return { waiter.state, now, waiter.since }
end

redis.call('ZREM', KEYS[1], format_place(waiter))
remove_waiter_record(2, 3, id)
local woken = expire_waiters(1, 2, 3, now_ms)
if waiter.state == 'signalled' then pass_signal(1, 2, waiter, now_ms, woken) end
publish_woken(ARGV[4], ARGV[5] == '1', woken)
return { 'left', now, '' }
