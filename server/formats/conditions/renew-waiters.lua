-- Renews the heartbeats of one client's waiters for conditions of a lock, and returns their states.
--
-- Guarantee: if a waiter of this client was silent for too long, its wait ends without a signal. Silent waiters of
-- other clients lose their places, and their signals pass to the next waiters.
--
-- KEYS[1] the waiters that wait for a signal (sorted set)    KEYS[2] the record of each waiter (hash)
-- KEYS[3] until when each waiter is alive (sorted set)
-- ARGV[1] channel of conditions    ARGV[2] '1' if waiters may also use sharded pub/sub
-- Then the waiters
--
-- Returns {now ms, then for each waiter its state ('lost' if it has no record), and when it stopped waiting in ms or ''}

-- include ../event.lua
-- include waiters.lua

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local fault = prepare_waiters(1, 2, 3)
if fault then return fault end
local waiters = {}
for i = 3, #ARGV do
  local waiter = find_condition_waiter(2, ARGV[i])
  if waiter then renew_heartbeat(1, 2, 3, waiter, now_ms + HEARTBEAT_MS, now_ms) end
  waiters[i] = waiter or { state = 'lost', since = '' }
end
local woken = expire_waiters(1, 2, 3, now_ms)
-- One of the waiters of this client may have received a signal that a silent waiter did not use.
local passed = {}
for _, waiter in ipairs(woken) do passed[waiter.id] = waiter end
publish_woken(ARGV[1], ARGV[2] == '1', woken)
keep_waiter_keys(1, 2, 3)

local reply = { format_integer(now_ms) }
for i = 3, #ARGV do
  local waiter = passed[ARGV[i]] or waiters[i]
  reply[#reply + 1] = waiter.state
  reply[#reply + 1] = waiter.since
end
return reply
