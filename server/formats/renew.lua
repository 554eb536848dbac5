-- Renews a hold, so that it lasts for at least the lease from now.
--
-- Guarantee: never creates a lock, never shortens a lease, changes only the named hold, and never revives an expired
-- hold. A lock without TTL gets a TTL.
--
-- KEYS[1] the lock       KEYS[2] its companion
-- ARGV[1] token    ARGV[2] fence    ARGV[3] principal, or ''    ARGV[4] lease in ms, '' for the hold's own
-- ARGV[5] request id, '' for a request that may be executed again: it changes only the lease
-- ARGV[6] digest of the request    ARGV[7] channel for events
-- ARGV[8] '' or time since the request was first sent, in ms    ARGV[9] '1' if the client reads release requests from now on
--
-- Returns {'granted', now ms, count, fence, remaining ms, lease ms, token, 'renewed', owner,
--          release request as JSON or ''}
--         {'lost', now ms, remaining ms, companion's token, owner, fence, since, record, stored owner, count, ...}
--         {'not_owner'}      another principal acquired this hold
--         {'request_id_reused'}      {'unknown'}

-- include format/storage.lua
-- include request-window.lua
-- include release-requests.lua

local token, fence, principal, request_id, digest = ARGV[1], ARGV[2], ARGV[3], ARGV[5], ARGV[6]

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local kept = read_companion(2)
local state, remaining_ms, holders, count = 'held', nil, nil, find_count(1, kept, token, now_ms)
if count then
  remaining_ms = read_remaining_ms(1, kept, now_ms)
else
  state, remaining_ms, holders, count = read_state(1, kept, token, now_ms)
  if state == 'fault' then return remaining_ms end
end

local repeated = request_id ~= '' and find_request(kept.window, request_id)
if repeated and (repeated.verb ~= 'renew' or repeated.digest ~= digest) then return { 'request_id_reused' } end
if not repeated and ARGV[8] ~= '' and may_be_forgotten(kept.window, now_ms - tonumber(ARGV[8])) then return { 'unknown' } end

local standing, left_ms = assess_hold(kept, state, remaining_ms, count, token, fence, principal)
if standing == 'not_owner' then return { 'not_owner' } end
if standing == 'lost' then
  if not holders then
    state, remaining_ms, holders = read_state(1, kept, token, now_ms)
    if state == 'fault' then return remaining_ms end
  end
  return format_holders('lost', now_ms, tonumber(remaining_ms) or 0, kept, holders or {})
end

-- The lease is 0 if the companion does not contain it. The hold is then not renewed.
local lease_ms = tonumber(ARGV[4]) or kept.lease
local taken_ms = remaining_ms
if not repeated and lease_ms > 0 and (not left_ms or left_ms < lease_ms) then
  kept.value, taken_ms = extend_expiry(1, kept, lease_ms + kept.grace, now_ms)
  kept.lease = lease_ms
end
if not repeated and kept.token ~= '' then
  kept.seq = kept.seq + 1
  if ARGV[9] == '1' then declare_release_requests(kept) end
  if request_id ~= '' then remember_request(kept, request_id, 'renew', digest, fence, now_ms) end
  redis.call('SET', KEYS[2], format_companion(kept), 'PX', compute_companion_ttl_ms(taken_ms, lease_ms))
  redis.pcall('PUBLISH', ARGV[7], format_event('renewed', now_ms, fence, kept.seq, count, '', kept.owner, '', KEYS[1]))
  -- The library does not read release requests in replies to its watchdog. The request is published again, because the
  -- first message may have been lost.
  if request_id == '' and principal == '' then publish_release_request(kept) end
end
return { 'granted', format_integer(now_ms), format_integer(count), fence,
  format_integer(compute_holder_remaining_ms(taken_ms, kept) or -1), format_integer(kept.lease), token, 'renewed', kept.owner,
  format_release_request(kept) }
