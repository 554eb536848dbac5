-- Gives back one count of a hold; the last one frees the lock and wakes its waiters.
--
-- Guarantee: touches nobody else's hold, never shortens the lease of what is left, and a repeated request id
-- gives nothing back twice. The wake-up is the one Redisson's waiters listen for.
--
-- KEYS[1] the lock (hash: owner -> count)       KEYS[2] its companion
-- ARGV[1] owner    ARGV[2] request id    ARGV[3] digest of the request
-- ARGV[4] '' or the id of an acquire: release only if that request was carried out and its hold still stands
-- ARGV[5] channel that Redisson's waiters listen on    ARGV[6] channel for events    ARGV[7] the key, as bytes
-- ARGV[8] '' or how long ago the request was sent first, in ms
--
-- Returns {'released', now ms, count left}    {'not_held', now ms}
--         {'request_id_reused'}    {'unknown'}    {'not_a_lock', type}

-- include shape.lua
-- include request-window.lua

local owner, request_id, digest, acquired_by = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local held = redis.pcall('HGET', KEYS[1], owner)
if type(held) == 'table' then
  if not is_wrong_type(held) then return held end
  return { 'not_a_lock', redis.call('TYPE', KEYS[1]).ok }
end

local kept = redis.pcall('HMGET', KEYS[2], 'owner', 'fence', 'seq', 'requests', 'since')
-- Its name is ours: whatever else is there was put there by mistake, and would stop the writes below halfway.
if kept.err and is_wrong_type(kept) then redis.call('DEL', KEYS[2]) end
local told = facts(kept)
local told_owner, last_fence, seq, window = told[1], fence_of(told[2]), whole(told[3]), told[4]
local ours = told_owner == owner
local fence = ours and last_fence or ''

local repeated = find_request(window, request_id)
if repeated then
  if repeated.verb ~= 'release' and repeated.verb ~= 'not_held' or repeated.digest ~= digest then return { 'request_id_reused' } end
  if repeated.verb == 'not_held' then return { 'not_held', integer(now_ms) } end
  return { 'released', integer(now_ms), repeated.fence == fence and held or '0' }
end
if ARGV[8] ~= '' and may_be_forgotten(window, now_ms - tonumber(ARGV[8])) then return { 'unknown' } end

-- An owner that the companion names is one of ours; otherwise the whole hash must be a lock's.
if not (held and ours and is_count(held)) then
  local size = redis.call('HLEN', KEYS[1])
  if size > FIELDS_MAX then return { 'not_a_lock', 'hash' } end
  local fields = size > 0 and redis.call('HGETALL', KEYS[1]) or {}
  local orphan = held and is_orphan(fields, owner, redis.call('PTTL', KEYS[1]))
  if value_of(fields, 'mode') or not (is_lock(fields, told_owner) or orphan) then return { 'not_a_lock', 'hash' } end
end

if held and acquired_by ~= '' then
  local acquired = find_request(window, acquired_by)
  held = acquired and acquired.verb == 'acquire' and acquired.fence == fence and held
end

-- The companion of a hold of ours has its time to live from the acquire; another one gets a short one.
local function keep_window()
  if not ours and redis.call('PTTL', KEYS[2]) < WINDOW_AGE_MS_MAX then redis.call('PEXPIRE', KEYS[2], WINDOW_AGE_MS_MAX) end
end

if not held then
  redis.call('HSET', KEYS[2], 'requests', remember_request(window, request_id, 'not_held', digest, fence, now_ms))
  keep_window()
  return { 'not_held', integer(now_ms) }
end

-- HDEL first and not HINCRBY: a Redis that is full refuses what may grow, and must not keep a lock from being freed.
local left = tonumber(held) - 1
if left <= 0 then
  left = 0
  redis.call('HDEL', KEYS[1], owner)
  redis.pcall('PUBLISH', ARGV[5], '0')
else
  redis.call('HINCRBY', KEYS[1], owner, -1)
end
local requests = remember_request(window, request_id, 'release', digest, fence, now_ms)
if ours and left == 0 then
  -- What is told of a hold ends with it: the next one under this owner may be taken without us.
  redis.call('HSET', KEYS[2], 'owner', '', 'record', '', 'seq', integer(seq + 1), 'requests', requests)
else
  redis.call('HSET', KEYS[2], 'seq', integer(seq + 1), 'requests', requests)
end
keep_window()
local held_ms = ours and left == 0 and whole(told[5]) > 0 and integer(math.max(0, now_ms - whole(told[5]))) or ''
redis.pcall('PUBLISH', ARGV[6], table.concat(
  { 'released', integer(now_ms), fence, integer(seq + 1), integer(left), held_ms, owner, '' }, '\t') .. '\n' .. ARGV[7])
return { 'released', integer(now_ms), integer(left) }
