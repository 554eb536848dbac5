-- Force-releases a lock of sidekiq-unique-jobs, or one of several jobs that hold it, as its unlock does.
--
-- Guarantee: releases the jobs that the operator saw, each by its id and its value (when it acquired the lock), or
-- nothing. Wakes waiters on BLMOVE as the unlock of version 8 does; version 9 has no waiters.
--
-- KEYS[1] the lock (hash of job ids)    KEYS[2] its digest    KEYS[3] its info
-- KEYS[4] jobs that are about to acquire the lock (list)    KEYS[5] jobs that wait for the lock (list)
-- KEYS[6] all digests (sorted set)    KEYS[7] all digests that expire (sorted set)
-- ARGV[1] channel for events    ARGV[2] JSON of actor and reason
-- ARGV[3] 'all': no other job may hold the lock; 'some': other jobs keep it
-- ARGV[4] version of the library, '8' or '9'    ARGV[5] the digest, as it is in KEYS[6] and KEYS[7]
-- then for each job its id, its value, and when it acquired the lock, in Unix ms, or ''
--
-- Returns {'released', now ms}   {'gone', now ms}   {'changed', now ms}   {'not_a_lock', type}

-- include ../event.lua

local FIRST = 6
local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then return { 'gone', format_integer(now_ms) } end
if kind ~= 'hash' then return { 'not_a_lock', kind } end

local asked, present, same = 0, 0, 0
for i = FIRST, #ARGV, 3 do
  local written = read_field(1, ARGV[i], #ARGV[i + 1])
  asked = asked + 1
  -- `false` means that the stored value is longer than the expected value.
  if written ~= nil then present = present + 1 end
  if written == ARGV[i + 1] then same = same + 1 end
end
local held = redis.call('HLEN', KEYS[1])
if present == 0 and ARGV[3] == 'some' then return { 'gone', format_integer(now_ms) } end
if same < asked or (ARGV[3] == 'all' and held > asked) then return { 'changed', format_integer(now_ms) } end

for i = FIRST, #ARGV, 3 do redis.call('HDEL', KEYS[1], ARGV[i]) end
-- Any client may have overwritten an auxiliary key with another type, which must not prevent the release.
if held == asked then
  if ARGV[4] == '8' then
    redis.call('DEL', KEYS[2], KEYS[3], KEYS[4])
    redis.pcall('ZREM', KEYS[7], ARGV[5])
  end
  redis.pcall('ZREM', KEYS[6], ARGV[5])
end
if ARGV[4] == '8' then
  redis.pcall('LPUSH', KEYS[5], '1')
  redis.pcall('PEXPIRE', KEYS[5], 5000)
end

for i = FIRST, #ARGV, 3 do
  local event = format_event('force_released', now_ms, '', 0, 0, ARGV[i + 2], ARGV[i], ARGV[2], KEYS[1])
  redis.pcall('PUBLISH', ARGV[1], event)
end
return { 'released', format_integer(now_ms) }
