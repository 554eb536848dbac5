-- Gives back one count of a hold; the last one frees the lock and wakes its waiters.
--
-- Guarantee: touches nobody else's hold, never shortens the lease of what is left, and a repeated request id
-- gives nothing back twice. The wake-up is the one Redisson's waiters listen for.
--
-- KEYS[1] the lock (hash: owner -> count)       KEYS[2] its companion
-- ARGV[1] owner    ARGV[2] request id    ARGV[3] digest of the request
-- ARGV[4] '' or the id of an acquire: release only if that request was carried out and its hold still stands
-- ARGV[5] channel that Redisson's waiters listen on    ARGV[6] channel for events    ARGV[7] the key, as bytes
--
-- Returns {'released', now ms, count left}    {'not_held', now ms}
--         {'request_id_reused'}               {'not_a_lock', type}

-- include shape.lua
-- include request-window.lua

local owner, request_id, digest, acquired_by = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local size = redis.pcall('HLEN', KEYS[1])
if type(size) == 'table' then
  if not is_wrong_type(size) then return size end
  return { 'not_a_lock', redis.call('TYPE', KEYS[1]).ok }
end

local told = redis.call('HMGET', KEYS[2], 'owner', 'fence', 'seq', 'requests', 'since')
local told_owner, last_fence, seq, window = told[1], told[2], tonumber(told[3] or '0'), told[4]
local ours = told_owner == owner
local fence = ours and last_fence or ''

local repeated = find_request(window, request_id)
if repeated then
  if repeated.verb ~= 'release' and repeated.verb ~= 'not_held' or repeated.digest ~= digest then return { 'request_id_reused' } end
  if repeated.verb == 'not_held' then return { 'not_held', integer(now_ms) } end
  local same_hold = repeated.fence == fence
  return { 'released', integer(now_ms), same_hold and redis.call('HGET', KEYS[1], owner) or '0' }
end

if size > 0 then
  if size > FIELDS_MAX then return { 'not_a_lock', 'hash' } end
  if not is_lock(redis.call('HGETALL', KEYS[1]), told_owner) then return { 'not_a_lock', 'hash' } end
end

local held = size > 0 and redis.call('HGET', KEYS[1], owner)
if held and acquired_by ~= '' then
  local acquired = find_request(window, acquired_by)
  held = acquired and acquired.verb == 'acquire' and acquired.fence == fence and held
end

local function remember(verb)
  redis.call('HSET', KEYS[2], 'requests', remember_request(window, request_id, verb, digest, fence, now_ms))
  if redis.call('PTTL', KEYS[2]) < WINDOW_AGE_MS_MAX then redis.call('PEXPIRE', KEYS[2], WINDOW_AGE_MS_MAX) end
end

if not held then
  remember('not_held')
  return { 'not_held', integer(now_ms) }
end

local left = redis.call('HINCRBY', KEYS[1], owner, -1)
if left <= 0 then
  left = 0
  redis.call('HDEL', KEYS[1], owner)
  redis.call('PUBLISH', ARGV[5], '0')
end
redis.call('HSET', KEYS[2], 'seq', integer(seq + 1))
remember('release')
local held_ms = ours and told[5] and integer(now_ms - tonumber(told[5])) or ''
redis.call('PUBLISH', ARGV[6], table.concat(
  { 'released', integer(now_ms), fence, integer(seq + 1), integer(left), left == 0 and held_ms or '', owner, '' }, '\t') .. '\n' .. ARGV[7])
return { 'released', integer(now_ms), integer(left) }
