-- Gives back one count of a hold; the last one frees the lock and wakes its waiters, or holds it off for a while.
--
-- Guarantee: touches nobody else's hold nor another principal's, never shortens the lease of what is left, and a
-- repeated request id gives nothing back twice. The wake-up is the one Redisson's waiters listen for.
--
-- KEYS[1] the lock       KEYS[2] its companion
-- ARGV[1] owner    ARGV[2] request id    ARGV[3] digest of the request
-- ARGV[4] channel that waiters listen on    ARGV[5] channel for events
-- ARGV[6] '' or the principal that asks; may be left out where there is none
-- The rest may be left out as a whole:
-- ARGV[7] '' or the id of an acquire to take back: released only if it was carried out and its hold still stands; should
--         it arrive later, it does nothing. A grant that is taken back has served nobody, so no least hold time applies
-- ARGV[8] '' or how long ago the request was sent first, in ms
-- ARGV[9] '' or for how long nobody may take the lock after this, in ms    ARGV[10] the reserved owner for that
-- ARGV[11] '1' when waiters may listen by sharded pub/sub, too
-- ARGV[12] '' or the fence of a hold: it is released as a whole if it is the one that stands, and nothing else is
--
-- Returns {'released', now ms, count left, fence or ''}    {'not_held', now ms}
--         {'not_owner'}    another principal acquired this owner's hold
--         {'request_id_reused'}    {'unknown'}    {'not_a_lock', type}

-- include fast-path/release.lua

-- include format/storage.lua
-- include request-window.lua
-- include reserve.lua

-- As long as any answer is waited for (attempt.ts).
local ANSWERED_WITHIN_MS = 2000

local owner, request_id, digest, principal, acquired_by = ARGV[1], ARGV[2], ARGV[3], ARGV[6] or '', ARGV[7] or ''
local sent_ms, asked_ms = tonumber(ARGV[8] or ''), tonumber(ARGV[9] or '') or 0

local time = redis.call('TIME')
local now_us = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now_ms = math.floor(now_us / 1000)

local stored = redis.pcall('GET', KEYS[2])
local kept = parse_companion(type(stored) == 'string' and stored or '')
-- An owner that the companion names is one of ours; otherwise the whole key must be a lock's.
local count = find_count(1, kept, owner, now_ms)
if not count then
  local state, detail, _
  state, detail, _, count = read_state(1, kept, owner, now_ms, true)
  if state == 'fault' then return detail end
  if state == 'shared' then return { 'not_a_lock', 'hash' } end
  if state == 'not_a_lock' then return { state, detail } end
end
local ours = kept.owner == owner
local fence = ours and kept.fence or ''

local repeated = find_request(kept.window, request_id)
if repeated then
  if repeated.verb ~= 'release' and repeated.verb ~= 'not_held' or repeated.digest ~= digest then return { 'request_id_reused' } end
  if repeated.verb == 'not_held' then return { 'not_held', format_integer(now_ms) } end
  return { 'released', format_integer(now_ms), format_integer(count and repeated.fence == fence and count or 0), repeated.fence }
end
if sent_ms and may_be_forgotten(kept.window, now_ms - sent_ms) then return { 'unknown' } end

-- The companion of a hold of ours has its time to live from the acquire; another one gets a short one.
local function write_companion()
  local left_ms = math.max(redis.call('PTTL', KEYS[2]), WINDOW_AGE_MS_MAX)
  -- Changes nothing, and comes first: a Redis that is full takes what may grow once something was written.
  redis.call('PEXPIRE', KEYS[2], format_integer(left_ms))
  redis.call('SET', KEYS[2], format_companion(kept), 'PX', format_integer(left_ms))
end

local anothers = is_other_principal(kept, owner, principal)
if acquired_by ~= '' then
  local acquired = find_request(kept.window, acquired_by)
  count = acquired and acquired.verb == 'acquire' and acquired.fence == fence and count
  -- The id of another's request is not ours to take back.
  if not (count and anothers) then withdraw_request(kept, acquired_by, now_ms) end
end
local ending = ARGV[12] or ''
if ending ~= '' then count = count and ours and fence == ending and 1 end
-- A lease that ran out is over, also while others are still kept off.
if count and ours and kept.grace + margin_ms > 0 and compute_holder_remaining_ms(read_remaining_ms(1, kept, now_ms), kept) == 0 then count = nil end
if count and anothers then return { 'not_owner' } end

if not count then
  -- On its way a request grows older than it says, by less than it is waited for. What freed the hold may have been its
  -- first try, which is among those that were cut off.
  if sent_ms and may_be_forgotten(kept.window, now_ms - sent_ms - ANSWERED_WITHIN_MS) then return { 'unknown' } end
  remember_request(kept, request_id, 'not_held', digest, fence, now_ms)
  write_companion()
  return { 'not_held', format_integer(now_ms) }
end

remember_request(kept, request_id, 'release', digest, fence, now_ms)
local left = count - 1
kept.seq = kept.seq + 1
if left > 0 then
  if ours then kept.count = left end
  -- Written down before it is done: cut short in between, a repetition must not give back two.
  write_companion()
  decrement_count(1, owner)
  redis.pcall('PUBLISH', ARGV[5], format_event('released', now_ms, fence, kept.seq, left, '', owner, '', KEYS[1]))
  return { 'released', format_integer(now_ms), format_integer(left), fence }
end

local since = ours and kept.since > 0 and format_integer(kept.since) or ''
-- A clock that was set back since the grant makes no longer time of it, and none where none was asked for.
local least_ms = ours and acquired_by == '' and math.min(kept.least, kept.since + kept.least - now_ms) or 0
local freed = format_event('released', now_ms, fence, kept.seq, 0, since, owner, '', KEYS[1])
if least_ms > 0 or asked_ms > 0 then
  local reserved = asked_ms >= least_ms and ARGV[10] or 'lockkeeper:reserve:min-hold'
  local taken = reserve_lock(kept, owner, reserved, math.max(asked_ms, least_ms), now_us, detect_unit(kept.value))
  redis.pcall('PUBLISH', ARGV[5], freed)
  redis.pcall('PUBLISH', ARGV[5], taken)
else
  remove_hold(1, owner)
  redis.pcall('PUBLISH', ARGV[5], freed)
  -- What is told of a hold ends with it: the next one under this owner may be taken without us.
  if ours then forget_hold(kept) end
  write_companion()
end
redis.pcall('PUBLISH', ARGV[4], '0')
if ARGV[11] == '1' then redis.pcall('SPUBLISH', ARGV[4], '0') end
return { 'released', format_integer(now_ms), '0', fence }
