-- Releases all holds, or one, of Redisson's expirable semaphore for an operator. A hold of another library has one permit.
--
-- Guarantee: releases the permits that the operator saw, each once, or nothing. With 'all', releases the permits only
-- if no other permits are acquired. Compares the token and fence of Lockkeeper's own holds, and notifies their clients.
-- Wakes waiters as Redisson's release does.
--
-- KEYS[1] available permits       KEYS[3] acquired permits (sorted set)
-- The other keys are the companions of the holds that are released: the second key, and those after KEYS[3].
-- ARGV[1] 'all' or 'one'    ARGV[2] JSON of actor and reason    ARGV[3] channel of waiters
-- ARGV[4] channel for events    ARGV[5] '1' if waiters may also use sharded pub/sub
-- The rest of the arguments: the holds to release, each as the number of its permits, its display name, its token and fence
-- ('' for another library), the channel of its client or '', and the bytes of its permits
--
-- Returns {'released', now ms}   {'gone', now ms}   {'changed', now ms}   {'not_a_lock', type}

local FORMAT, margin_ms = 'redisson', 0
-- include ../companion.lua
-- include semaphore/wake.lua

local time = redis.call('TIME')
local now_ms = math.floor(tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000)

local left = redis.pcall('GETRANGE', KEYS[1], 0, COUNTER_BYTES_MAX)
if type(left) == 'table' and not is_wrong_type(left) then return left end
if left == '' and redis.call('EXISTS', KEYS[1]) == 0 then return { 'gone', format_integer(now_ms) } end
local out = type(left) == 'string' and is_counter(left) and redis.pcall('ZCARD', KEYS[3])
if type(out) ~= 'number' then return { 'not_a_lock', redis.call('TYPE', KEYS[1]).ok } end

local holds, at = {}, 6
while at <= #ARGV do
  local permits = tonumber(ARGV[at])
  local ids = { unpack(ARGV, at + 5, at + 4 + permits) }
  local k = #holds == 0 and 2 or #holds + 3
  holds[#holds + 1] = { k = k, name = ARGV[at + 1], token = ARGV[at + 2], fence = ARGV[at + 3], client = ARGV[at + 4], ids = ids }
  at = at + 5 + permits
end

local asked, found, alive, has_changed = 0, 0, 0, false
for _, hold in ipairs(holds) do
  for _, id in ipairs(hold.ids) do
    local end_ms = tonumber(redis.call('ZSCORE', KEYS[3], id) or '')
    asked = asked + 1
    if end_ms then found = found + 1 end
    if end_ms and end_ms > now_ms then alive = alive + 1 end
  end
  if hold.token ~= '' then
    local k = hold.k
    hold.kept = read_companion(k)
    if hold.kept.token ~= hold.token or hold.kept.fence ~= hold.fence then has_changed = true end
  end
end
local others = ARGV[1] == 'all' and redis.call('ZCOUNT', KEYS[3], '(' .. format_integer(now_ms), '+inf') - alive or 0
if found == 0 and others == 0 then return { 'gone', format_integer(now_ms) } end
if found < asked or others > 0 or has_changed then return { 'changed', format_integer(now_ms) } end

local released = 0
for _, hold in ipairs(holds) do
  for _, id in ipairs(hold.ids) do released = released + redis.call('ZREM', KEYS[3], id) end
  local seq, since, kept = 0, '', hold.kept
  if kept then
    local k = hold.k
    kept.seq = kept.seq + 1
    seq, since = kept.seq, kept.since > 0 and format_integer(kept.since) or ''
    forget_hold(kept)
    redis.call('SET', KEYS[k], format_companion(kept), 'KEEPTTL')
  end
  redis.pcall('PUBLISH', ARGV[4],
    format_event('force_released', now_ms, hold.fence, seq, 0, since, hold.name, ARGV[2], KEYS[1]))
  if hold.client ~= '' then redis.pcall('PUBLISH', hold.client, hold.fence .. '\t' .. hold.token) end
end
redis.call('INCRBY', KEYS[1], format_integer(released))
publish_permits(1, ARGV[3], ARGV[5] == '1')
return { 'released', format_integer(now_ms) }
