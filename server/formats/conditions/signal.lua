-- Signals the client that has waited longest for a condition of a lock, or all of them.
--
-- Guarantee: only the holder of the lock can signal, and only live clients get a signal, in the order in which they
-- began to wait. A repeated request id signals no other client. The lock is not changed.
--
-- KEYS[1] the lock       KEYS[2] its companion
-- KEYS[3] the waiters that wait for a signal (sorted set)    KEYS[4] the record of each waiter (hash)
-- KEYS[5] until when each waiter is alive (sorted set)
-- ARGV[1] token    ARGV[2] fence, or '' for any fence of the hold with this token    ARGV[3] principal, or ''
-- ARGV[4] request id    ARGV[5] digest of the request    ARGV[6] condition    ARGV[7] 'one' or 'all'
-- ARGV[8] '' or time since the request was first sent, in ms
-- ARGV[9] channel of conditions    ARGV[10] '1' if waiters may also use sharded pub/sub
--
-- Returns {'signalled', now ms, number of clients}
--         {'lost', now ms, remaining ms, companion's token, owner, fence, since, record, stored owner, count, ...}
--         {'not_owner'}      {'request_id_reused'}      {'unknown'}

-- include format/storage.lua
-- include ../request-window.lua
-- include waiters.lua

local token, principal, request_id, digest, name = ARGV[1], ARGV[3], ARGV[4], ARGV[5], ARGV[6]

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local fault = prepare_waiters(3, 4, 5)
if fault then return fault end
local kept = read_companion(2)
local state, remaining_ms, holders, count = read_state(1, kept, token, now_ms)
if state == 'fault' then return remaining_ms end
local fence = ARGV[2] ~= '' and ARGV[2] or kept.fence

local repeated = find_request(kept.window, request_id)
if repeated then
  local signalled = string.match(repeated.verb, '^signal:(%d+)$')
  if not signalled or repeated.digest ~= digest then return { 'request_id_reused' } end
  return { 'signalled', format_integer(now_ms), signalled }
end
if ARGV[8] ~= '' and may_be_forgotten(kept.window, now_ms - tonumber(ARGV[8])) then return { 'unknown' } end

local standing = assess_hold(kept, state, remaining_ms, count, token, fence, principal)
if standing == 'lost' or standing == 'held' and kept.token == '' then
  return format_holders('lost', now_ms, tonumber(remaining_ms) or 0, kept, holders or {})
end
if standing == 'not_owner' then return { 'not_owner' } end

local woken = expire_waiters(3, 4, 5, now_ms)
local passed = #woken
-- No client can begin to wait while the caller holds the lock, so no waiter has a larger number.
local bound = find_last_number(3, name)
local most = ARGV[7] == 'all' and WAITERS_HANDLED_MAX or 1
while bound and #woken - passed < most do
  -- Each signal is 1 ms later than the previous signal, so that the waiters re-acquire the lock in this order.
  local waiter = signal_longest(3, 4, name, bound, now_ms + #woken - passed)
  if not waiter then break end
  woken[#woken + 1] = waiter
end
local signalled = #woken - passed
-- If no waiter was signalled, the request is not recorded, because a repeated request finds no waiter either.
if signalled > 0 then
  remember_request(kept, request_id, 'signal:' .. format_integer(signalled), digest, fence, now_ms)
  redis.call('SET', KEYS[2], format_companion(kept), 'KEEPTTL')
end
publish_woken(ARGV[9], ARGV[10] == '1', woken)
return { 'signalled', format_integer(now_ms), format_integer(signalled) }
