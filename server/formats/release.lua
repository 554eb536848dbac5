-- Releases one count of a hold. The last count releases the lock and wakes its waiters, or reserves the lock.
--
-- Guarantee: changes only the named hold, never shortens the lease of the remaining counts, and a repeated request id
-- releases only once. The wake-up is the message that Redisson's waiters subscribe to.
--
-- KEYS[1] the lock       KEYS[2] its companion
-- KEYS[3] the list on which waiters of python-redis-lock block; optional
-- For a fair lock: KEYS[3] its queue (list)    KEYS[4] when each waiter in it times out (sorted set)
--         KEYS[5] until when each waiter of Lockkeeper is alive (sorted set); optional
-- ARGV[1] token    ARGV[2] fence, or '' for any fence of the hold with this token    ARGV[3] principal, or ''
-- ARGV[4] request id    ARGV[5] digest of the request: '-' if the caller cannot repeat it
-- ARGV[6] channel of waiters, '' if the next acquire on the connection is sent for one of these waiters
-- ARGV[7] channel for events
-- The following arguments are optional, but either all or none are passed:
-- ARGV[8] '' or the id of an acquire to withdraw, which is refused if it arrives later. A withdrawn grant was never used,
--         so the minimum hold time does not apply
-- ARGV[9] '' or time since the request was first sent, in ms
-- ARGV[10] '' or the duration of the reservation, in ms    ARGV[11] the reserved owner
-- ARGV[12] '1' if waiters may also use sharded pub/sub
-- ARGV[13] '1' to end the hold regardless of its count
-- Then channels of other libraries' waiters and their messages, alternating; for a fair lock ARGV[14] the fair wait time in ms
--
-- Returns {'released' or 'still_held', now ms, remaining count, fence}    {'not_held', now ms}
--         {'released', now ms, '0', fence, reserved ms, reserved owner}    the lock is now reserved
--         {'not_owner'}    another principal acquired this hold
--         {'request_id_required'}    the count is above one, and a repeated request would be a second release
--         {'request_id_reused'}    {'unknown'}

-- include fast-path/release.lua

-- include format/storage.lua
-- include format/queue.lua
-- include request-window.lua
-- include reserve.lua
-- include strings/signals.lua

-- Maximum time for which a client waits for a reply (attempt.ts), in ms.
local ANSWERED_WITHIN_MS = 2000

local token, principal, request_id, digest, acquired_by = ARGV[1], ARGV[3], ARGV[4], ARGV[5], ARGV[8] or ''
local sent_ms, asked_ms, is_whole = tonumber(ARGV[9] or ''), tonumber(ARGV[10] or '') or 0, ARGV[13] == '1'

local time = redis.call('TIME')
local now_us = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now_ms = math.floor(now_us / 1000)

local kept = read_companion(2)
local count = find_count(1, kept, token, now_ms)
if not count then
  local state, detail, _
  state, detail, _, count = read_state(1, kept, token, now_ms)
  if state == 'fault' then return detail end
  if state ~= 'held' then count = nil end
end
local fence = ARGV[2] ~= '' and ARGV[2] or kept.fence

local repeated = find_request(kept.window, request_id)
if repeated then
  local is_release = repeated.verb == 'released' or repeated.verb == 'still_held'
  if not is_release or repeated.digest ~= digest then return { 'request_id_reused' } end
  local its_fence = repeated.fence ~= '' and repeated.fence or fence
  local left = is_hold(kept, count, token, its_fence, principal) and count or 0
  return { left > 0 and 'still_held' or 'released', format_integer(now_ms), format_integer(left), its_fence }
end
if sent_ms and may_be_forgotten(kept.window, now_ms - sent_ms) then return { 'unknown' } end

-- The companion of a Lockkeeper hold keeps the TTL that the acquire set. Any other companion gets a short TTL.
local function write_companion(companion)
  local left_ms = math.max(redis.call('PTTL', KEYS[2]), WINDOW_AGE_MS_MAX)
  -- PEXPIRE keeps the TTL and comes first because a full Redis accepts it. After the first write of a script, Redis
  -- does not refuse commands that need memory.
  redis.call('PEXPIRE', KEYS[2], format_integer(left_ms))
  redis.call('SET', KEYS[2], format_companion(companion), 'PX', format_integer(left_ms))
end

-- Wakes the next waiter if the lock is free, because Redis sends no message when a lease expires.
local function wake_if_free()
  if redis.call('EXISTS', KEYS[1]) > 0 then return end
  wake_next(3, 4, 5, ARGV[6], ARGV[12] == '1', now_ms, true, tonumber(ARGV[14]))
end

local may_release, refusal = is_hold(kept, count, token, fence, principal)
-- An expired lease counts as lost, even during the grace period.
local margin = may_release and kept.grace + margin_ms or 0
if margin > 0 and compute_holder_remaining_ms(read_remaining_ms(1, kept, now_ms), kept) == 0 then
  may_release, refusal = false, 'lost'
end
-- Withdraws only the hold of that acquire, because a later reservation by the same operator has the same token.
if may_release and acquired_by ~= '' and kept.token ~= '' then
  local taken = find_request(kept.window, acquired_by)
  if not taken or not is_acquire_of(taken, kept, token) then may_release, refusal = false, 'lost' end
end
if not may_release and refusal == 'not_owner' then return { refusal } end

if not may_release then
  -- A request is older on arrival than ARGV[9] states, by less than the maximum wait for a reply. Its first attempt may
  -- have released the hold, and the entry may have been removed from the window since.
  if sent_ms and may_be_forgotten(kept.window, now_ms - sent_ms - ANSWERED_WITHIN_MS) then return { 'unknown' } end
  if acquired_by ~= '' then
    -- The companion may already describe a later hold, whose fields are kept.
    local described = read_companion(2)
    withdraw_request(described, acquired_by, now_ms)
    write_companion(described)
  end
  if HAS_QUEUE and not count then wake_if_free() end
  return { 'not_held', format_integer(now_ms) }
end
if count > 1 and digest == '-' and not is_whole and acquired_by == '' then return { 'request_id_required' } end
if acquired_by ~= '' then withdraw_request(kept, acquired_by, now_ms) end

local left = (is_whole or acquired_by ~= '') and 0 or count - 1
local outcome = left > 0 and 'still_held' or 'released'
remember_request(kept, request_id, outcome, digest, digest == '-' and ARGV[2] ~= '' and '' or fence, now_ms)
kept.seq = kept.seq + 1
if left > 0 then
  kept.count = left
  -- The request is recorded before the release, so that a repeated request cannot release twice if the script fails
  -- between the two steps.
  write_companion(kept)
  decrement_count(1, token)
  redis.pcall('PUBLISH', ARGV[7], format_event('released', now_ms, fence, kept.seq, left, '', kept.owner, '', KEYS[1]))
  return { outcome, format_integer(now_ms), format_integer(left), fence }
end

local since = kept.since > 0 and format_integer(kept.since) or ''
-- If the server's clock was set back since the grant, the minimum hold time does not become longer.
local least_ms = acquired_by == '' and math.min(kept.least, kept.since + kept.least - now_ms) or 0
local event = format_event('released', now_ms, fence, kept.seq, 0, since, kept.token ~= '' and kept.owner or token, '', KEYS[1])
local reservation
if least_ms > 0 or asked_ms > 0 then
  local reserved = asked_ms >= least_ms and ARGV[11] or 'lockkeeper:reserve:min-hold'
  local reserved_ms = math.max(asked_ms, least_ms)
  local taken = reserve_lock(kept, token, reserved, reserved_ms, now_us, detect_unit(kept.value))
  redis.pcall('PUBLISH', ARGV[7], event)
  redis.pcall('PUBLISH', ARGV[7], taken)
  reservation = { outcome, format_integer(now_ms), '0', fence, format_integer(reserved_ms), reserved }
else
  remove_hold(1, token)
  redis.pcall('PUBLISH', ARGV[7], event)
  forget_hold(kept)
  write_companion(kept)
  if not HAS_QUEUE then signal_other_libraries(3, 14) end
end
if HAS_QUEUE then
  wake_next(3, 4, 5, ARGV[6], ARGV[12] == '1', now_ms, reservation == nil, tonumber(ARGV[14]))
  return reservation or { outcome, format_integer(now_ms), '0', fence }
end
local wake_up = ARGV[6] ~= '' and find_wake_up()
if wake_up then redis.pcall('PUBLISH', ARGV[6], wake_up) end
if wake_up and ARGV[12] == '1' then redis.pcall('SPUBLISH', ARGV[6], wake_up) end
return reservation or { outcome, format_integer(now_ms), '0', fence }
