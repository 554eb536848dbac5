-- Extends the lease of a hold for an operator.
--
-- Guarantee: extends the hold that the operator saw to at least the requested lease, or does nothing. Never creates a
-- lock, shortens a lease or revives an expired hold. Compares the token and fence of Lockkeeper's own holds, and the
-- stored owner of foreign holds.
--
-- KEYS[1] the lock       KEYS[2] its companion
-- ARGV[1] expected token, or stored owner of a foreign hold    ARGV[2] expected fence, or '' for a foreign hold
-- ARGV[3] lease from now, in ms    ARGV[4] JSON of actor and reason    ARGV[5] channel for events
--
-- Returns {'extended', now ms, remaining lease in ms (-1: no TTL)}
--         {'enough', now ms, remaining lease}    the lease was long enough; nothing was changed
--         {'gone', now ms}   {'changed', now ms}   {'not_a_lock', type}

-- include format/storage.lua

local token, fence, lease_ms = ARGV[1], ARGV[2], tonumber(ARGV[3])

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local kept = read_companion(2)
local state, remaining_ms, holders = read_state(1, kept, token, now_ms)
if state == 'fault' then return remaining_ms end
if state == 'free' then return { 'gone', format_integer(now_ms) } end
if state == 'not_a_lock' then return { state, remaining_ms } end

local ours = token ~= '' and kept.token == token
if state == 'shared' or #holders > 2 or holders[1] ~= token or (ours and kept.fence or '') ~= fence then
  return { 'changed', format_integer(now_ms) }
end
local left_ms = compute_holder_remaining_ms(remaining_ms, kept)
if left_ms == 0 then return { 'gone', format_integer(now_ms) } end
if not left_ms or left_ms >= lease_ms then return { 'enough', format_integer(now_ms), format_integer(left_ms or -1) } end

local taken
kept.value, taken = extend_expiry(1, kept, lease_ms + kept.grace, now_ms)
local seq, count = 0, tonumber(holders[2]) or 1
if ours then
  kept.lease, kept.seq = lease_ms, kept.seq + 1
  seq = kept.seq
  redis.call('SET', KEYS[2], format_companion(kept), 'PX', compute_companion_ttl_ms(taken, lease_ms))
end
redis.pcall('PUBLISH', ARGV[5],
  format_event('renewed', now_ms, fence, seq, count, '', ours and kept.owner or token, ARGV[4], KEYS[1]))
return { 'extended', format_integer(now_ms), format_integer(compute_holder_remaining_ms(taken, kept)) }
