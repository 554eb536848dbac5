-- Prolongs a hold to at least the lease.
--
-- Guarantee: never creates a lock, never shortens a lease, touches nobody else's hold. A lock without expiry gets one.
--
-- KEYS[1] the lock (hash: owner -> count)       KEYS[2] its companion
-- ARGV[1] owner    ARGV[2] lease in ms    ARGV[3] request id    ARGV[4] digest of the request
-- ARGV[5] channel for events    ARGV[6] the key itself, as bytes
-- ARGV[7] '' or how long ago the request was sent first, in ms
--
-- Returns {'granted', now ms, count, fence or '', remaining ms}
--         {'lost', now ms, remaining ms, companion's owner, fence, since, record, field, count, ...}  fields of who holds it now
--         {'request_id_reused'}      {'unknown'}      {'not_a_lock', type}

-- include shape.lua
-- include request-window.lua

local owner, lease_ms, request_id, digest = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local size = redis.pcall('HLEN', KEYS[1])
if type(size) == 'table' then
  if not is_wrong_type(size) then return size end
  return { 'not_a_lock', redis.call('TYPE', KEYS[1]).ok }
end
if size > FIELDS_MAX then return { 'not_a_lock', 'hash' } end

local kept = redis.pcall('HMGET', KEYS[2], 'owner', 'fence', 'seq', 'requests', 'since', 'record')
-- Its name is ours: whatever else is there was put there by mistake, and would stop the writes below halfway.
if kept.err and is_wrong_type(kept) then redis.call('DEL', KEYS[2]) end
local told = facts(kept)
local told_owner, last_fence, seq, window = told[1], fence_of(told[2]), whole(told[3]), told[4]

local fields = redis.call('HGETALL', KEYS[1])
local remaining_ms = redis.call('PTTL', KEYS[1])
if value_of(fields, 'mode') or not (is_lock(fields, told_owner) or is_orphan(fields, owner, remaining_ms)) then
  return { 'not_a_lock', 'hash' }
end

local repeated = find_request(window, request_id)
if repeated and (repeated.verb ~= 'renew' or repeated.digest ~= digest) then return { 'request_id_reused' } end
if not repeated and ARGV[7] ~= '' and may_be_forgotten(window, now_ms - tonumber(ARGV[7])) then return { 'unknown' } end

local count = value_of(fields, owner)
local ours = told_owner == owner
local fence = ours and last_fence or ''

if not count or (repeated and repeated.fence ~= fence) then
  local reply = { 'lost', integer(now_ms), integer(remaining_ms), told_owner or '', last_fence, told[5] or '', told[6] or '' }
  for i = 1, #fields do reply[#reply + 1] = fields[i] end
  return reply
end
if repeated then return { 'granted', integer(now_ms), count, fence, integer(remaining_ms) } end

if remaining_ms < lease_ms then
  remaining_ms = lease_ms
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
redis.call('HSET', KEYS[2], 'seq', integer(seq + 1),
  'requests', remember_request(window, request_id, 'renew', digest, fence, now_ms))
if ours then redis.call('HSET', KEYS[2], 'lease', ARGV[2]) end
redis.call('PEXPIRE', KEYS[2], integer(remaining_ms + math.max(600000, 2 * lease_ms)))
redis.pcall('PUBLISH', ARGV[5], table.concat(
  { 'renewed', integer(now_ms), fence, integer(seq + 1), count, '', owner, '' }, '\t') .. '\n' .. ARGV[6])
return { 'granted', integer(now_ms), count, fence, integer(remaining_ms) }
