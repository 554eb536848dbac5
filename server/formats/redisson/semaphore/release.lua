-- Releases all permits of a hold and wakes waiters.
--
-- Guarantee: returns only the permits of the named hold, each once. A repeated request id releases only once. The wake-up is
-- the message that Redisson's waiters subscribe to.
--
-- KEYS[1] the semaphore    KEYS[2] the companion of the hold    KEYS[3] the acquired permits (sorted set)
-- ARGV[1] token    ARGV[2] fence, or '' for any fence of the hold with this token    ARGV[3] principal, or ''
-- ARGV[4] request id    ARGV[5] digest of the request
-- ARGV[6] channel of waiters    ARGV[7] channel for events
-- ARGV[8] '' or the id of an acquire to withdraw, which is refused if it arrives later
-- ARGV[9] '' or time since the request was first sent, in ms
-- ARGV[10] '1' if waiters may also use sharded pub/sub
--
-- Returns {'released', now ms, '0', fence}    {'not_held', now ms}    {'request_id_reused'}    {'unknown'}
--         {'not_owner'}    another principal acquired this hold

-- include format/storage.lua
-- include ../../request-window.lua

-- Maximum time for which a client waits for a reply (attempt.ts), in ms.
local ANSWERED_WITHIN_MS = 2000

local token, principal, request_id, digest, acquired_by = ARGV[1], ARGV[3], ARGV[4], ARGV[5], ARGV[8]
local sent_ms = tonumber(ARGV[9])

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local kept = read_companion(2)
local described = kept.token == token and kept.count or 0
local number = read_text(1, COUNTER_BYTES_MAX)
local count = is_counter(number) and find_count(1, kept, token, now_ms)
local state = 'held'
if not count then
  local detail, _
  state, detail, _, count = read_state(1, kept, token, now_ms)
  if state == 'fault' then return detail end
end
local fence = ARGV[2] ~= '' and ARGV[2] or kept.fence

local repeated = find_request(kept.window, request_id)
if repeated then
  if repeated.verb ~= 'released' or repeated.digest ~= digest then return { 'request_id_reused' } end
  return { 'released', format_integer(now_ms), '0', repeated.fence }
end
if sent_ms and may_be_forgotten(kept.window, now_ms - sent_ms) then return { 'unknown' } end

-- PEXPIRE comes first because a full Redis accepts it. After the first write of a script, Redis does not refuse
-- commands that need memory.
local function write_companion(companion)
  local left_ms = math.max(redis.call('PTTL', KEYS[2]), WINDOW_AGE_MS_MAX)
  redis.call('PEXPIRE', KEYS[2], format_integer(left_ms))
  redis.call('SET', KEYS[2], format_companion(companion), 'PX', format_integer(left_ms))
end

local may_release, refusal = is_hold(kept, count, token, fence, principal)
if not may_release and refusal == 'not_owner' then return { refusal } end

if not may_release then
  if sent_ms and may_be_forgotten(kept.window, now_ms - sent_ms - ANSWERED_WITHIN_MS) then return { 'unknown' } end
  local stored = read_companion(2)
  -- Other clients may have released some permits, or some may have expired. The hold is then lost, and its remaining
  -- permits are returned.
  local is_ours = stored.token == token and stored.fence == fence and stored.principal == principal
  local changed = state ~= 'not_a_lock' and reclaim_permits(now_ms) or 0
  if is_ours and state ~= 'not_a_lock' and described <= PERMITS_MAX then changed = changed + return_permits(3, token, described) end
  if acquired_by ~= '' then
    withdraw_request(stored, acquired_by, now_ms)
    write_companion(stored)
  end
  if changed > 0 then publish_permits(1, ARGV[6], ARGV[10] == '1') end
  return { 'not_held', format_integer(now_ms) }
end

if acquired_by ~= '' then withdraw_request(kept, acquired_by, now_ms) end
remember_request(kept, request_id, 'released', digest, fence, now_ms)
kept.seq = kept.seq + 1
local since = kept.since > 0 and format_integer(kept.since) or ''
local event = format_event('released', now_ms, fence, kept.seq, 0, since, kept.token ~= '' and kept.owner or token, '', KEYS[1])
return_permits(3, token, count)
reclaim_permits(now_ms)
forget_hold(kept)
write_companion(kept)
redis.pcall('PUBLISH', ARGV[7], event)
publish_permits(1, ARGV[6], ARGV[10] == '1')
return { 'released', format_integer(now_ms), '0', fence }
