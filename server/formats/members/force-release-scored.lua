-- Force-releases one or all holders of a lock that is a sorted set of them, with all their members.
--
-- Guarantee: releases the holders that the operator saw, or nothing. Expired members are ignored.
--
-- KEYS[1] the lock
-- ARGV[1] channel for events    ARGV[2] JSON of actor and reason
-- ARGV[3] 'all': there must be no other holder, and the lock is then free; 'some': other holders keep the lock
-- ARGV[4] meaning of a score: 'end', the expiry in Unix ms; or 'refresh', the last refresh: a member expires as long after
-- its score as the key expires after the latest score
-- ARGV[5] '' or the member that exists while the lock is exclusive; the key then expires with its last member
-- ARGV[6] '' or the duration of the reservation, in ms    ARGV[7] the reserved owner
-- then for each holder its owner, the number of its members, and the members
--
-- Returns {'released', now ms}   {'gone', now ms}   {'changed', now ms}   {'not_a_lock', type}

-- include ../event.lua

local FIRST = 8
local MEMBERS_MAX = 1024
local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then return { 'gone', format_integer(now_ms) } end
if kind ~= 'zset' then return { 'not_a_lock', kind } end
-- Larger sets are never listed as locks.
if redis.call('ZCARD', KEYS[1]) > MEMBERS_MAX or not is_within_bytes(1, CONTENT_BYTES_MAX) then
  return { 'changed', format_integer(now_ms) }
end

local function read_last_score()
  return tonumber(redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2])
end

local dead_score = now_ms
if ARGV[4] == 'refresh' then
  local remaining_ms = redis.call('PTTL', KEYS[1])
  dead_score = remaining_ms < 0 and -math.huge or read_last_score() - remaining_ms
end
local function is_alive(member)
  local score = redis.call('ZSCORE', KEYS[1], member)
  return score and tonumber(score) > dead_score
end

local asked, present, asks_exclusive = {}, 0, false
local at = FIRST
while ARGV[at] do
  for i = at + 2, at + 1 + tonumber(ARGV[at + 1]) do
    asked[#asked + 1] = ARGV[i]
    if is_alive(ARGV[i]) then present = present + 1 end
    if ARGV[i] == ARGV[5] then asks_exclusive = true end
  end
  at = at + 2 + tonumber(ARGV[at + 1])
end

local is_whole = ARGV[3] == 'all'
local alive = is_whole and redis.call('ZCOUNT', KEYS[1], '(' .. string.format('%.17g', dead_score), '+inf') or present
if present == 0 and alive == 0 then return { 'gone', format_integer(now_ms) } end
if present < #asked or alive > present then return { 'changed', format_integer(now_ms) } end
-- The sole reader may have become the writer, or the writer may have become a reader.
if ARGV[5] ~= '' and asks_exclusive ~= (is_alive(ARGV[5]) or false) then return { 'changed', format_integer(now_ms) } end

if ARGV[6] ~= '' then
  -- The reservation is added before holders are removed, so that the key always exists. While its slot is being
  -- migrated, a cluster would re-create a missing key on the other node.
  local off_until = format_integer(now_ms + tonumber(ARGV[6]))
  redis.call('ZADD', KEYS[1], off_until, ARGV[7])
  redis.call('ZADD', KEYS[1], off_until, ARGV[5])
end
if is_whole and ARGV[6] == '' then
  redis.call('DEL', KEYS[1])
else
  for _, member in ipairs(asked) do
    -- If a reservation is extended, the member to release is the reserved member.
    local is_reserved = ARGV[6] ~= '' and (member == ARGV[5] or member == ARGV[7])
    if not is_reserved then redis.call('ZREM', KEYS[1], member) end
  end
  local last = ARGV[5] ~= '' and read_last_score()
  if last then redis.call('PEXPIREAT', KEYS[1], format_integer(last)) end
end

at = FIRST
while ARGV[at] do
  redis.pcall('PUBLISH', ARGV[1], format_event('force_released', now_ms, '', 0, 0, '', ARGV[at], ARGV[2], KEYS[1]))
  at = at + 2 + tonumber(ARGV[at + 1])
end
return { 'released', format_integer(now_ms) }
