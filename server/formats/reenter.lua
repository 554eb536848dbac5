-- Re-enters a hold: its count increases by one.
--
-- Guarantee: re-enters exactly the named hold, keeps its fencing token, and never shortens its lease. A lock without
-- TTL gets a TTL. A repeated request id counts once.
--
-- KEYS[1] the lock       KEYS[2] its companion
-- ARGV[1] token    ARGV[2] fence    ARGV[3] principal, or ''    ARGV[4] lease in ms, '' for the hold's own
-- ARGV[5] request id    ARGV[6] digest of the request    ARGV[7] channel for events
-- ARGV[8] '' or time since the request was first sent, in ms
--
-- Returns {'granted', now ms, count, fence, remaining ms, lease ms, token, 'reentered' or 'repeated', owner,
--          release request as JSON or ''}
--         {'lost', now ms, remaining ms, companion's token, owner, fence, since, record, stored owner, count, ...}
--         {'not_owner'}      {'request_id_reused'}      {'unknown'}

-- include format/storage.lua
-- include request-window.lua
-- include release-requests.lua

local token, fence, principal, request_id, digest = ARGV[1], ARGV[2], ARGV[3], ARGV[5], ARGV[6]

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local kept = read_companion(2)
local state, remaining_ms, holders, count = read_state(1, kept, token, now_ms)
if state == 'fault' then return remaining_ms end

local repeated = find_request(kept.window, request_id)
if repeated and (repeated.verb ~= 'reenter' or repeated.digest ~= digest) then return { 'request_id_reused' } end
if not repeated and ARGV[8] ~= '' and may_be_forgotten(kept.window, now_ms - tonumber(ARGV[8])) then return { 'unknown' } end

local standing, left_ms = assess_hold(kept, state, remaining_ms, count, token, fence, principal)
-- A re-entry changes the companion, so a hold without a companion cannot be re-entered.
if standing == 'lost' or standing == 'held' and kept.token == '' then
  return format_holders('lost', now_ms, tonumber(remaining_ms) or 0, kept, holders or {})
end
if standing == 'not_owner' then return { 'not_owner' } end

local function format_grant(remaining, how)
  return { 'granted', format_integer(now_ms), format_integer(count), fence, format_integer(remaining or -1), format_integer(kept.lease), token, how,
    kept.owner, format_release_request(kept) }
end
if repeated then return format_grant(left_ms, 'repeated') end

local lease_ms = tonumber(ARGV[4]) or kept.lease
-- The count is increased before the request is recorded. If the script fails between these steps, a repeated request
-- counts twice, and the extra count ends with the lease. If the count were too low instead, the lock would be released
-- while its holder still needs it.
increment_count(1, token, '1')
count = count + 1
remember_request(kept, request_id, 'reenter', digest, fence, now_ms)
kept.count, kept.seq, kept.lease = count, kept.seq + 1, math.max(kept.lease, lease_ms)
local taken_ms = remaining_ms
if not left_ms or left_ms < lease_ms then kept.value, taken_ms = extend_expiry(1, kept, lease_ms + kept.grace, now_ms) end
redis.call('SET', KEYS[2], format_companion(kept), 'PX', compute_companion_ttl_ms(taken_ms, kept.lease))
redis.pcall('PUBLISH', ARGV[7], format_event('reentered', now_ms, fence, kept.seq, count, '', kept.owner, '', KEYS[1]))
return format_grant(compute_holder_remaining_ms(taken_ms, kept), 'reentered')
