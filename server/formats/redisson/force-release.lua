-- Frees one hold whoever has it, on an operator's word.
--
-- Guarantee: frees the hold that was seen or nothing. Of our own holds the fence is compared; of a foreign
-- one the owner. Redisson's waiters are woken as by its own forced unlock. The fence counters stay.
--
-- KEYS[1] the lock (hash: owner -> count)       KEYS[2] its companion
-- ARGV[1] owner that was seen    ARGV[2] fence that was seen, or '' for a foreign hold
-- ARGV[3] JSON of who and why    ARGV[4] channel that Redisson's waiters listen on
-- ARGV[5] channel for events     ARGV[6] the key itself, as bytes
--
-- Returns {'released', now ms}   {'gone', now ms}   {'changed', now ms}   {'not_a_lock', type}

-- include shape.lua

local owner, fence = ARGV[1], ARGV[2]

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local size = redis.pcall('HLEN', KEYS[1])
if type(size) == 'table' then
  if not is_wrong_type(size) then return size end
  return { 'not_a_lock', redis.call('TYPE', KEYS[1]).ok }
end
if size == 0 then return { 'gone', integer(now_ms) } end
if size > FIELDS_MAX then return { 'not_a_lock', 'hash' } end

local told = facts(redis.pcall('HMGET', KEYS[2], 'owner', 'fence', 'seq', 'since'))
local fields = redis.call('HGETALL', KEYS[1])
if not is_lock(fields, told[1]) then return { 'not_a_lock', 'hash' } end

local ours = told[1] == owner
local present_fence = ours and fence_of(told[2]) or ''
if size > 1 or fields[1] ~= owner or present_fence ~= fence then return { 'changed', integer(now_ms) } end

redis.call('DEL', KEYS[1])
redis.pcall('PUBLISH', ARGV[4], '0')
local seq, held_ms = '0', ''
if ours then
  seq = integer(whole(told[3]) + 1)
  -- What is told of a hold ends with it: the next one under this owner may be taken without us.
  redis.call('HSET', KEYS[2], 'owner', '', 'record', '', 'seq', seq)
  held_ms = whole(told[4]) > 0 and integer(math.max(0, now_ms - whole(told[4]))) or ''
end
redis.pcall('PUBLISH', ARGV[5], table.concat(
  { 'force_released', integer(now_ms), fence, seq, '0', held_ms, owner, ARGV[3] }, '\t') .. '\n' .. ARGV[6])
return { 'released', integer(now_ms) }
