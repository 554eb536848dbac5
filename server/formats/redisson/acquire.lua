-- Takes the lock for an owner, or takes it once more when the owner holds it already.
--
-- Guarantee: one holder at a time. A new hold has a fence above every fence handed out for the key before,
-- also after a failover or a restart that lost the last ones (server time in microseconds is the floor).
-- A re-entry keeps the fence and never shortens the lease; a lock without expiry gets one. A repeated request id changes nothing.
-- A script that has written cannot be stopped and is replicated as a whole, so nobody sees the hash without
-- its time to live.
--
-- KEYS[1] the lock (hash: owner -> count)       KEYS[2] its companion
-- KEYS[3] the counter of Redisson's fenced lock, brought along when it exists
-- KEYS[4] who waits (sorted set: request id, since and owner -> end of the wait in ms)
-- ARGV[1] owner    ARGV[2] lease in ms    ARGV[3] request id    ARGV[4] digest of the request
-- ARGV[5] '1' when the owner may re-enter    ARGV[6] owner record as JSON, or ''
-- ARGV[7] channel for events                 ARGV[8] the key itself, as bytes
-- ARGV[9] '' or how long the owner will wait, in ms    ARGV[10] '' or since when it has waited, in ms
-- ARGV[11] how many may wait    ARGV[12] '' or how long ago the request was sent first, in ms
--
-- Returns {'granted', now ms, count, fence or '', remaining ms}
--         {'held', now ms, remaining ms (-1: no expiry), companion's owner, fence, since, record, field, count, ...}
--         {'queue_full', now ms, how many wait}
--         {'lost', now ms}           the request was carried out before and its hold has ended since
--         {'request_id_reused'}      {'unknown'}      {'not_a_lock', type}

-- include shape.lua
-- include request-window.lua

local owner, lease_ms, request_id, digest = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]

local time = redis.call('TIME')
local now_us = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now_ms = math.floor(now_us / 1000)

local size = redis.pcall('HLEN', KEYS[1])
if type(size) == 'table' then
  if not is_wrong_type(size) then return size end
  return { 'not_a_lock', redis.call('TYPE', KEYS[1]).ok }
end

local kept = redis.pcall('HMGET', KEYS[2], 'owner', 'fence', 'seq', 'requests', 'since', 'record')
-- Its name is ours: whatever else is there was put there by mistake, and would stop the writes below halfway.
if kept.err and is_wrong_type(kept) then redis.call('DEL', KEYS[2]) end
local told = facts(kept)
local told_owner, last_fence, seq, window = told[1], fence_of(told[2]), whole(told[3]), told[4]

-- A grant ends the wait that led to it.
local function stop_waiting()
  if ARGV[10] ~= '' then redis.call('ZREM', KEYS[4], waiter_name(request_id, ARGV[10], owner)) end
end

local function keep_companion(remaining_ms)
  redis.call('PEXPIRE', KEYS[2], integer(remaining_ms + math.max(600000, 2 * lease_ms)))
end

local function tell(event, fence, count)
  redis.pcall('PUBLISH', ARGV[7], table.concat(
    { event, integer(now_ms), fence, integer(seq + 1), integer(count), '', owner, '' }, '\t') .. '\n' .. ARGV[8])
end

local repeated = find_request(window, request_id)
if repeated then
  if repeated.verb ~= 'acquire' or repeated.digest ~= digest then return { 'request_id_reused' } end
  local count = size > 0 and redis.call('HGET', KEYS[1], owner)
  stop_waiting()
  if not count or (repeated.fence ~= '' and (told_owner ~= owner or last_fence ~= repeated.fence)) then
    return { 'lost', integer(now_ms) }
  end
  return { 'granted', integer(now_ms), count, repeated.fence, integer(redis.call('PTTL', KEYS[1])) }
end

if ARGV[12] ~= '' and may_be_forgotten(window, now_ms - tonumber(ARGV[12])) then return { 'unknown' } end

if size > FIELDS_MAX then return { 'not_a_lock', 'hash' } end

if size > 0 then
  local fields = redis.call('HGETALL', KEYS[1])
  if not is_lock(fields, told_owner) then return { 'not_a_lock', 'hash' } end
  local remaining_ms = redis.call('PTTL', KEYS[1])
  if size > 1 or fields[1] ~= owner or ARGV[5] ~= '1' then
    if ARGV[9] ~= '' then
      redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', integer(now_ms))
      local since = ARGV[10]
      if since == '' then
        local waiting = redis.call('ZCARD', KEYS[4])
        if waiting >= tonumber(ARGV[11]) then return { 'queue_full', integer(now_ms), integer(waiting) } end
        since = integer(now_ms)
        redis.pcall('PUBLISH', ARGV[7], table.concat(
          { 'waiting', since, '', '0', '0', '', owner, '' }, '\t') .. '\n' .. ARGV[8])
      end
      redis.call('ZADD', KEYS[4], integer(now_ms + tonumber(ARGV[9])), waiter_name(request_id, since, owner))
      local longest = redis.call('ZRANGE', KEYS[4], -1, -1, 'WITHSCORES')
      redis.call('PEXPIREAT', KEYS[4], integer(tonumber(longest[2]) + 1000))
    end
    local reply = { 'held', integer(now_ms), integer(remaining_ms), told_owner or '', last_fence, told[5] or '', told[6] or '' }
    for i = 1, #fields do reply[#reply + 1] = fields[i] end
    return reply
  end

  local count = redis.call('HINCRBY', KEYS[1], owner, 1)
  if remaining_ms < lease_ms then
    remaining_ms = lease_ms
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
  end
  local ours = told_owner == owner
  local fence = ours and last_fence or ''
  redis.call('HSET', KEYS[2], 'seq', integer(seq + 1),
    'requests', remember_request(window, request_id, 'acquire', digest, fence, now_ms))
  keep_companion(remaining_ms)
  stop_waiting()
  tell('reentered', fence, count)
  return { 'granted', integer(now_ms), integer(count), fence, integer(remaining_ms) }
end

local fence_number = math.max(now_us, whole(last_fence) + 1)
local counter = redis.pcall('GET', KEYS[3])
if type(counter) == 'string' and whole(counter) > 0 then
  fence_number = math.max(fence_number, whole(counter) + 1)
  redis.call('SET', KEYS[3], integer(fence_number), 'KEEPTTL')
end
local fence = integer(fence_number)

redis.call('HSET', KEYS[1], owner, 1)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
seq = 0
redis.call('HSET', KEYS[2], 'owner', owner, 'fence', fence, 'since', integer(now_ms), 'lease', ARGV[2],
  'record', ARGV[6], 'seq', '1', 'requests', remember_request(window, request_id, 'acquire', digest, fence, now_ms))
keep_companion(lease_ms)
stop_waiting()
tell('acquired', fence, 1)
return { 'granted', integer(now_ms), '1', fence, ARGV[2] }
