-- Gives up a hold with its whole count, and adds the client to the waiters of a condition.
--
-- Guarantee: the hold ends and the waiter is added, or nothing changes. release.lua releases the hold and wakes the
-- waiters of the lock. A repeated request id finds the waiter of the first attempt and changes only its heartbeat.
--
-- KEYS[1] the lock       KEYS[2] its companion
-- KEYS[3] the waiters that wait for a signal (sorted set)    KEYS[4] the record of each waiter (hash)
-- KEYS[5] until when each waiter is alive (sorted set)
-- Only for a fair lock: KEYS[6] its queue (list)    KEYS[7] when each waiter in it times out (sorted set)
--         KEYS[8] until when each waiter of Lockkeeper in it is alive (sorted set)
-- ARGV[1] token    ARGV[2] fence    ARGV[3] principal, or ''
-- ARGV[4] request id, which is also the id of the waiter    ARGV[5] digest of the request    ARGV[6] condition
-- ARGV[7] maximum number of waiters of the lock    ARGV[8] '' or time since the request was first sent, in ms
-- ARGV[9] channel of the waiters of the lock    ARGV[10] channel for events    ARGV[11] channel of conditions
-- ARGV[12] '1' if waiters may also use sharded pub/sub    ARGV[13] the fair wait time in ms, or ''
--
-- Returns {'waiting', now ms, '', count, lease ms, owner}
--         {'signalled' or 'stopped', now ms, when it stopped waiting in ms, count, lease ms, owner}    only for a repeated id
--         {'done', now ms}    an earlier attempt with this id has re-acquired the lock
--         {'lost', now ms, remaining ms, companion's token, owner, fence, since, record, stored owner, count, ...}
--         {'not_owner'}      another principal acquired this hold
--         {'min_hold'}       the hold has a minimum hold time
--         {'queue_full', now ms, number of waiters}
--         {'request_id_reused'}      {'unknown'}

local KEYS, ARGV = KEYS, ARGV

-- include format/storage.lua
-- include ../request-window.lua
-- include ../release-requests.lua
-- include waiters.lua
-- include ../release.lua as function release

local token, fence, principal, id, digest, name = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local is_sharded = ARGV[12] == '1'

local time = redis.call('TIME')
local now_us = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now_ms = math.floor(now_us / 1000)

local fault = prepare_waiters(3, 4, 5)
if fault then return fault end

local function format_waiting(waiter)
  return { waiter.state, format_integer(now_ms), waiter.since, format_integer(waiter.count), format_integer(waiter.lease), waiter.owner }
end

local waiter = find_condition_waiter(4, id)
if waiter then
  if waiter.digest ~= digest then return { 'request_id_reused' } end
  renew_heartbeat(3, 4, 5, waiter, now_ms + HEARTBEAT_MS, now_ms)
  keep_waiter_keys(3, 4, 5)
  return format_waiting(waiter)
end

local kept = read_companion(2)
local state, remaining_ms, holders, count = read_state(1, kept, token, now_ms)
if state == 'fault' then return remaining_ms end
local repeated = find_request(kept.window, id)
if repeated then
  if repeated.verb ~= 'acquire' or repeated.digest ~= digest then return { 'request_id_reused' } end
  return { 'done', format_integer(now_ms) }
end
if ARGV[8] ~= '' and may_be_forgotten(kept.window, now_ms - tonumber(ARGV[8])) then return { 'unknown' } end

local standing = assess_hold(kept, state, remaining_ms, count, token, fence, principal)
-- A hold without a companion could not be restored after the wait.
if standing == 'lost' or standing == 'held' and kept.token == '' then
  return format_holders('lost', now_ms, tonumber(remaining_ms) or 0, kept, holders or {})
end
if standing == 'not_owner' then return { 'not_owner' } end
if kept.least > 0 then return { 'min_hold' } end
local woken = expire_waiters(3, 4, 5, now_ms)
publish_woken(ARGV[11], is_sharded, woken)
local waiting = redis.call('ZCARD', KEYS[5])
if waiting >= tonumber(ARGV[7]) then return { 'queue_full', format_integer(now_ms), format_integer(waiting) } end

-- A release request ends with its hold. An operator can send another request for the next hold.
local request, value_at = find_release_request(kept.record)
if request and request ~= '' then store_release_request(kept, value_at, '0') end
-- The number of the new waiter is larger than all others, even if the server's clock was set back.
local number = math.max(now_us, parse_whole(find_last_number(3, name)) + 1)
waiter = { id = id, state = 'waiting', name = name, number = string.format('%016.0f', number), bound = '', since = '', count = count,
  lease = kept.lease, grace = kept.grace, digest = digest, owner = kept.owner, principal = kept.principal, record = kept.record }

-- The waiter is stored before the hold is released. If Redis is full, the first write fails, and after it all writes of
-- the script are accepted.
store_waiter(4, waiter)
redis.call('ZADD', KEYS[5], format_integer(now_ms + HEARTBEAT_MS), id)
redis.call('ZADD', KEYS[3], '0', format_place(waiter))
keep_waiter_keys(3, 4, 5)

local own_keys, own_arguments = KEYS, ARGV
KEYS = { KEYS[1], KEYS[2], KEYS[6], KEYS[7], KEYS[8] }
ARGV = { token, fence, principal, 'await:' .. id, digest, ARGV[9], ARGV[10], '', '', '', '', ARGV[12], '1',
  ARGV[13] ~= '' and ARGV[13] or nil }
local ran, reply = pcall(release)
KEYS, ARGV = own_keys, own_arguments
if not ran or reply.err or reply[1] ~= 'released' then
  -- If the hold still exists, the waiter is removed. If the release failed after it had ended the hold, the waiter
  -- stays and a repeated request continues the wait.
  if find_count(1, kept, token, now_ms) then
    redis.call('ZREM', KEYS[3], format_place(waiter))
    remove_waiter_record(4, 5, id)
  end
  if not ran then error(reply) end
  return reply
end
return format_waiting(waiter)
