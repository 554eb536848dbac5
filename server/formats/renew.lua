-- Prolongs a hold to at least the lease.
--
-- Guarantee: never creates a lock, never shortens a lease, touches nobody else's hold nor another principal's, and brings
-- back no hold whose lease has run out. A lock without expiry gets one.
--
-- KEYS[1] the lock       KEYS[2] its companion
-- ARGV[1] owner    ARGV[2] lease in ms    ARGV[3] request id    ARGV[4] digest of the request
-- ARGV[5] channel for events    ARGV[6] '' or how long ago the request was sent first, in ms
-- ARGV[7] '' or the principal that asks
--
-- Returns {'granted', now ms, count, fence or '', remaining ms}
--         {'lost', now ms, remaining ms, companion's owner, fence, since, record, '', owner, count, ...}  who holds it now
--         {'not_owner'}      another principal acquired this owner's hold
--         {'request_id_reused'}      {'unknown'}      {'not_a_lock', type}

-- include format/storage.lua
-- include request-window.lua

local owner, lease_ms, request_id, digest = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local stored = redis.pcall('GET', KEYS[2])
local kept = parse_companion(type(stored) == 'string' and stored or '')
local state, remaining_ms, holders, count = read_state(1, kept, owner, now_ms, true)
if state == 'fault' then return remaining_ms end
if state == 'shared' then return { 'not_a_lock', 'hash' } end
if state == 'not_a_lock' then return { state, remaining_ms } end

local repeated = find_request(kept.window, request_id)
if repeated and (repeated.verb ~= 'renew' or repeated.digest ~= digest) then return { 'request_id_reused' } end
if not repeated and ARGV[6] ~= '' and may_be_forgotten(kept.window, now_ms - tonumber(ARGV[6])) then return { 'unknown' } end

local ours = kept.owner == owner
local fence = ours and kept.fence or ''
local left_ms = compute_holder_remaining_ms(remaining_ms, kept)

if not count or left_ms == 0 or repeated and repeated.fence ~= fence then
  local reply = { 'lost', format_integer(now_ms), format_integer(remaining_ms),
    kept.owner, kept.fence, kept.owner ~= '' and format_integer(kept.since) or '', kept.record, '' }
  for i = 1, #(holders or {}) do reply[#reply + 1] = holders[i] end
  return reply
end
if is_other_principal(kept, owner, ARGV[7]) then return { 'not_owner' } end
if repeated then return { 'granted', format_integer(now_ms), format_integer(count), fence, format_integer(left_ms or -1) } end

local taken = remaining_ms
if not left_ms or left_ms < lease_ms then
  kept.value, taken = extend_expiry(1, kept, lease_ms + kept.grace, now_ms)
  if ours then kept.lease = lease_ms end
end
kept.seq = kept.seq + 1
remember_request(kept, request_id, 'renew', digest, fence, now_ms)
redis.call('SET', KEYS[2], format_companion(kept), 'PX', compute_companion_ttl_ms(taken, lease_ms))
redis.pcall('PUBLISH', ARGV[5], format_event('renewed', now_ms, fence, kept.seq, count, '', owner, '', KEYS[1]))
return { 'granted', format_integer(now_ms), format_integer(count), fence, format_integer(compute_holder_remaining_ms(taken, kept)) }
