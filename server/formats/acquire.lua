-- Takes the lock for an owner, or takes it once more when the owner holds it already.
--
-- Guarantee: one holder at a time. A new hold has a fence above every fence handed out for the key before,
-- also after a failover or a restart that lost the last ones (server time in microseconds is the floor).
-- A re-entry keeps the fence and never shortens the lease; a lock without expiry gets one. Only the principal that
-- acquired a hold enters it again. A repeated request id
-- changes nothing. A script that has written cannot be stopped and is replicated as a whole, so nobody sees the lock
-- without its time to live.
--
-- KEYS[1] the lock       KEYS[2] its companion
-- KEYS[3] the counter of Redisson's fenced lock, brought along when it exists
-- KEYS[4] who waits (sorted set: request id, since and owner -> end of the wait in ms)
-- ARGV[1] owner    ARGV[2] lease in ms    ARGV[3] request id    ARGV[4] digest of the request
-- ARGV[5] '1' when the owner may re-enter    ARGV[6] owner record as JSON, or ''; then ⇥ principal, where there is one
-- ARGV[7] channel for events    ARGV[8] how long the companion stays when nothing lengthens the lease, in ms
-- The rest may be left out as a whole:
-- ARGV[9] '' or how long the owner will wait, in ms    ARGV[10] '' or since when it has waited, in ms
-- ARGV[11] how many may wait    ARGV[12] '' or how long ago the request was sent first, in ms
-- ARGV[13] for how long the lock stays taken after a lease that ran out, in ms
-- ARGV[14] for how long it stays taken at least, also when it is released before, in ms
-- ARGV[15] 's' or 'ms', what a deadline is written in
--
-- Returns {'granted', now ms, count, fence or '', remaining ms, 'acquired', 'reentered' or 'repeated'}
--         {'held', now ms, remaining ms (-1: no expiry), companion's owner, fence, since, record,
--          '1' when it is this owner's but another principal's, owner, count, ...}
--         {'queue_full', now ms, how many wait}
--         {'lost', now ms, 'ended'}       the request was carried out before and its hold has ended since
--         {'lost', now ms, 'withdrawn'}   the request was taken back by its id, maybe before it arrived here
--         {'request_id_reused'}      {'unknown'}      {'not_a_lock', type}      {'unit_conflict', 's' or 'ms'}

-- include fast-path/acquire.lua

-- include format/storage.lua
-- include request-window.lua

local owner, lease_ms, request_id, digest = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local wait_ms, since, sent_ms = tonumber(ARGV[9] or ''), ARGV[10] or '', tonumber(ARGV[12] or '')
local grace_ms, least_ms, unit = tonumber(ARGV[13] or 0), tonumber(ARGV[14] or 0), ARGV[15] or 'ms'
local record, principal = string.match(ARGV[6], '^([^\t]*)\t?(.*)$')

local time = redis.call('TIME')
local now_us = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now_ms = math.floor(now_us / 1000)

-- MGET takes what is of another type for absent, and SET writes over it: these names are ours.
local beside = redis.call('MGET', KEYS[2], KEYS[3])
local kept = parse_companion(beside[1])
local state, remaining_ms, holders, count = read_state(1, kept, owner, now_ms, false, unit)
if state == 'fault' then return remaining_ms end

-- A grant ends the wait that led to it.
local function stop_waiting()
  if since ~= '' then redis.call('ZREM', KEYS[4], format_waiter(request_id, since, owner)) end
end

local function grant(event, taken_ms)
  redis.call('SET', KEYS[2], format_companion(kept), 'PX', compute_companion_ttl_ms(taken_ms, lease_ms))
  stop_waiting()
  local fence = kept.owner == owner and kept.fence or ''
  redis.pcall('PUBLISH', ARGV[7], format_event(event, now_ms, fence, kept.seq, count, '', owner, '', KEYS[1]))
  return { 'granted', format_integer(now_ms), format_integer(count), fence, format_integer(compute_holder_remaining_ms(taken_ms, kept)), event }
end

local repeated = find_request(kept.window, request_id)
if repeated then
  if repeated.verb == 'withdrawn' then return { 'lost', format_integer(now_ms), 'withdrawn' } end
  if repeated.verb ~= 'acquire' or repeated.digest ~= digest then return { 'request_id_reused' } end
  stop_waiting()
  local left_ms = count and compute_holder_remaining_ms(remaining_ms, kept) or -1
  local is_its_hold = repeated.fence == '' or kept.owner == owner and kept.fence == repeated.fence
  if not count or not is_its_hold or left_ms == 0 then return { 'lost', format_integer(now_ms), 'ended' } end
  return { 'granted', format_integer(now_ms), format_integer(count), repeated.fence, format_integer(left_ms), 'repeated' }
end

if sent_ms and may_be_forgotten(kept.window, now_ms - sent_ms) then return { 'unknown' } end
if state == 'not_a_lock' or state == 'unit_conflict' then return { state, remaining_ms } end

if state == 'free' then
  local counter = parse_whole(beside[2] or '')
  if counter > 0 then
    kept.fence = format_integer(math.max(parse_whole(kept.fence), counter))
    redis.call('SET', KEYS[3], format_integer(math.max(now_us, parse_whole(kept.fence) + 1)), 'KEEPTTL')
  end
  local value, taken = store_hold(1, owner, lease_ms + grace_ms, now_ms, unit)
  count = 1
  begin_hold(kept, owner, value, lease_ms, now_us)
  kept.grace, kept.least, kept.record, kept.principal = grace_ms, least_ms, record, principal
  remember_request(kept, request_id, 'acquire', digest, kept.fence, now_ms)
  return grant('acquired', taken)
end

local left_ms = compute_holder_remaining_ms(remaining_ms, kept)
local anothers = is_other_principal(kept, owner, principal)
local may_enter = state == 'held' and #holders == 2 and count and ARGV[5] == '1' and not anothers
  and (COUNTS_ITSELF or kept.owner == owner)
-- A lease that ran out is over, also while others are still kept off.
if may_enter and left_ms ~= 0 then
  increment_count(1, owner)
  count = count + 1
  local taken = remaining_ms
  if kept.owner == owner then
    kept.count, kept.grace, kept.least = count, math.max(kept.grace, grace_ms), math.max(kept.least, least_ms)
  end
  -- A longer grace is added to the lease, not taken from it.
  local needed_ms = math.max(left_ms or 0, lease_ms) + kept.grace
  if remaining_ms < needed_ms + margin_ms then kept.value, taken = extend_expiry(1, kept, needed_ms, now_ms) end
  kept.seq = kept.seq + 1
  remember_request(kept, request_id, 'acquire', digest, kept.owner == owner and kept.fence or '', now_ms)
  return grant('reentered', taken)
end

if wait_ms then
  redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', format_integer(now_ms))
  if since == '' then
    local waiting = redis.call('ZCARD', KEYS[4])
    if waiting >= tonumber(ARGV[11]) then return { 'queue_full', format_integer(now_ms), format_integer(waiting) } end
    since = format_integer(now_ms)
    redis.pcall('PUBLISH', ARGV[7], format_event('waiting', now_ms, '', 0, 0, '', owner, '', KEYS[1]))
  end
  redis.call('ZADD', KEYS[4], format_integer(now_ms + wait_ms), format_waiter(request_id, since, owner))
  local longest = redis.call('ZRANGE', KEYS[4], -1, -1, 'WITHSCORES')
  redis.call('PEXPIREAT', KEYS[4], format_integer(tonumber(longest[2]) + 1000))
end
local reply = { 'held', format_integer(now_ms), format_integer(remaining_ms),
  kept.owner, kept.fence, kept.owner ~= '' and format_integer(kept.since) or '', kept.record, anothers and '1' or '' }
for i = 1, #holders do reply[#reply + 1] = holders[i] end
return reply
