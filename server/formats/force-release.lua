-- Force-releases one hold for an operator, or reserves the lock.
--
-- Guarantee: releases the hold that the operator saw, or nothing. Compares the token and fence of Lockkeeper's own
-- holds, and the stored owner of foreign holds. The client that holds the lock is notified immediately. Wakes
-- Redisson's waiters in the same way as Redisson's forceUnlock; waiters of its fair lock keep their places. The fence
-- counters are kept.
--
-- KEYS[1] the lock       KEYS[2] its companion
-- KEYS[3] Redisson's fair queue (list)       KEYS[4] when each waiter in it times out (sorted set)
-- KEYS[5] until when each waiter of Lockkeeper in it is alive (sorted set); optional
-- For a `token` lock only KEYS[3]: the list on which waiters of python-redis-lock block; optional
-- ARGV[1] expected token, or stored owner of a foreign hold    ARGV[2] expected fence, or '' for a foreign hold
-- ARGV[3] JSON of actor and reason    ARGV[4] channel of waiters
-- ARGV[5] channel for events
-- ARGV[6] '' or the duration of the reservation, in ms    ARGV[7] the reserved owner
-- ARGV[8] '1' if waiters may also use sharded pub/sub
-- ARGV[9] '' or the channel of the client that holds the lock
-- Then channels of other libraries' waiters and their messages, alternating
--
-- Returns {'released', now ms}   {'gone', now ms}   {'changed', now ms}   {'not_a_lock', type}

-- include format/storage.lua
-- include reserve.lua
-- include fair-queue.lua
-- include strings/signals.lua

local token, fence = ARGV[1], ARGV[2]

local time = redis.call('TIME')
local now_us = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now_ms = math.floor(now_us / 1000)

local kept = read_companion(2)
local state, detail, holders = read_state(1, kept, token, now_ms)
if state == 'fault' then return detail end
if state == 'free' then return { 'gone', format_integer(now_ms) } end
if state == 'not_a_lock' then return { state, detail } end

local ours = token ~= '' and kept.token == token
if #holders > 2 or holders[1] ~= token or (ours and kept.fence or '') ~= fence then return { 'changed', format_integer(now_ms) } end

local seq, since = 0, ''
if ours then
  kept.seq = kept.seq + 1
  seq = kept.seq
  since = kept.since > 0 and format_integer(kept.since) or ''
end
local event = format_event('force_released', now_ms, fence, seq, 0, since, ours and kept.owner or token, ARGV[3], KEYS[1])
if ARGV[6] ~= '' then
  local unit = detect_unit(ours and kept.value or token)
  local taken = reserve_lock(kept, token, ARGV[7], tonumber(ARGV[6]), now_us, unit)
  redis.pcall('PUBLISH', ARGV[5], event)
  redis.pcall('PUBLISH', ARGV[5], taken)
else
  remove_hold(1, token)
  if ours then
    forget_hold(kept)
    redis.call('SET', KEYS[2], format_companion(kept), 'KEEPTTL')
  end
  redis.pcall('PUBLISH', ARGV[5], event)
  if not KEYS[4] then signal_other_libraries(3, 10) end
end

if ARGV[9] ~= '' then redis.pcall('PUBLISH', ARGV[9], fence .. '\t' .. token) end

local function publish_wake_up(channel)
  redis.pcall('PUBLISH', channel, '0')
  if ARGV[8] == '1' then redis.pcall('SPUBLISH', channel, '0') end
end
publish_wake_up(ARGV[4])
local head = KEYS[3] and KEYS[4] and find_queue_head(3, 4, 5, now_ms, ARGV[6] == '')
if head then publish_wake_up(ARGV[4] .. ':' .. head) end
return { 'released', format_integer(now_ms) }
