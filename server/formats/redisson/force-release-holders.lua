-- Force-releases a Redisson read/write lock, or a hash with several owners: the whole lock, or one holder. The whole lock
-- can also be reserved.
--
-- Guarantee: releases what the operator saw, or nothing. Releases the whole lock only if its holders are exactly those
-- that the operator saw. Releases one holder only if that holder still holds the lock; other holders keep their leases.
-- Compares the fence of a Lockkeeper writer. For a reader, the token is sufficient, because tokens are never reused.
-- Removes readers whose leases have ended. Notifies the clients of Lockkeeper's holds immediately, and wakes waiters as
-- Redisson does.
--
-- KEYS[1] the lock       KEYS[2] its companion
-- The rest: the companions of Lockkeeper's readers that are released, the leases of the readers that are released, then those
-- of the readers that remain
-- ARGV[1] the expected mode: 'read', 'write' or ''    ARGV[2] '' or the one holder to release
-- ARGV[3] '' or the fence of a Lockkeeper hold that is released
-- ARGV[4] JSON of actor and reason    ARGV[5] channel of waiters    ARGV[6] the message to those waiters
-- ARGV[7] channel for events    ARGV[8] '1' if waiters may also use sharded pub/sub
-- ARGV[9] '' or the duration of the reservation, in ms    ARGV[10] the reserved holder
-- ARGV[11] how many of the leases belong to readers that are released    ARGV[12] the number of companions of readers
-- The rest of the arguments: the expected holders, each with its count
--
-- Returns {'released', now ms}   {'gone', now ms}   {'changed', now ms}   {'not_a_lock', type}

-- include read-write.lua

-- Maximum number of fields that are read. A hash that has grown beyond this is refused as changed.
local FIELDS_MAX = 1024

local mode, one, fence, who, off_ms = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[9])
local time = redis.call('TIME')
local now_us = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now_ms = math.floor(now_us / 1000)

local seen, order = {}, {}
for i = 13, #ARGV, 2 do
  seen[ARGV[i]] = ARGV[i + 1]
  order[#order + 1] = ARGV[i]
end

local size = redis.pcall('HLEN', KEYS[1])
if type(size) == 'table' then
  if not is_wrong_type(size) then return size end
  return { 'not_a_lock', redis.call('TYPE', KEYS[1]).ok }
end
if size == 0 then return { 'gone', format_integer(now_ms) } end
-- New holders are counted instead of read, because the hash may have become large.
local expected = #order + (mode == '' and 0 or 1)
-- If the Redis user may not read the leases, every reader counts as live.
local can_read, lock = false, nil
if mode ~= '' then can_read, lock = pcall(read_lock, 1) end
-- If no reader is live, readers without leases can be released too, because writers of Redisson wait for them.
if can_read and lock.state ~= 'held' then can_read = false end
local dead = can_read and lock.dead or {}
size = size - #dead
if size > FIELDS_MAX or (one == '' and size ~= expected) or not is_within_bytes(1, CONTENT_BYTES_MAX) then
  return { 'changed', format_integer(now_ms) }
end

if one ~= '' then order = { one } end
local found = 0
for _, holder in ipairs(order) do
  local is_live = not can_read or lock.counts[holder]
  if is_live and redis.call('HSTRLEN', KEYS[1], holder) > 0 then found = found + 1 end
end
if one ~= '' and found == 0 then return { 'gone', format_integer(now_ms) } end
local mode_now = read_field(1, 'mode', VALUE_BYTES_MAX) or ''
if found < #order or (one == '' and mode_now ~= mode) then return { 'changed', format_integer(now_ms) } end

local kept = read_companion(2)
local ours
for _, holder in ipairs(order) do
  if kept.format == FORMAT and kept.token == holder then ours = holder end
end
if (ours and kept.fence or '') ~= fence then return { 'changed', format_integer(now_ms) } end

-- Companions of Lockkeeper's readers that are released, by token.
local readers, reader_keys = {}, tonumber(ARGV[12])
for k = 3, 2 + reader_keys do
  local own = read_companion(k)
  if own.format == FORMAT and seen[own.token] then readers[own.token] = own end
end

local function notify_client(token, its_fence)
  local client = string.match(token, '^([%x-]+):%d+$') or string.match(token, '^([%x-]+):%d+:write$')
  if client then redis.pcall('PUBLISH', 'lockkeeper:client:' .. client, its_fence .. '\t' .. token) end
end

local events = {}
for _, holder in ipairs(order) do
  local seq, since, reader = 0, '', readers[holder]
  if reader then
    reader.seq, since = reader.seq + 1, reader.since > 0 and format_integer(reader.since) or ''
    events[#events + 1] = format_reader_event(holder, 'force_released', now_ms, reader.fence, reader.seq, 0, since, reader.owner, who, KEYS[1])
  else
  if holder == ours then
    seq, since = kept.seq + 1, kept.since > 0 and format_integer(kept.since) or ''
  end
  local its_fence = holder == ours and fence or ''
  events[#events + 1] = format_event('force_released', now_ms, its_fence, seq, 0, since, holder == ours and kept.owner or holder, who, KEYS[1])
  end
end

-- Sets the TTL of the lock to the longest lease of the remaining readers. If there are new readers, whose leases are
-- unknown, the TTL is not changed.
local function limit_expiry_to_readers(rest)
  for i = 1, #rest, 2 do
    if rest[i] ~= 'mode' and seen[rest[i]] ~= rest[i + 1] then return end
  end
  local longest_ms = 0
  for k = 3 + reader_keys + tonumber(ARGV[11]), #KEYS do
    local left_ms = redis.call('PTTL', KEYS[k])
    if left_ms == -1 then return end
    longest_ms = math.max(longest_ms, left_ms)
  end
  if longest_ms > 0 then redis.call('PEXPIRE', KEYS[1], format_integer(longest_ms)) end
end

-- Releases the one holder that was requested. Returns whether a waiter can acquire the lock now.
local function release_one()
  redis.call('HDEL', KEYS[1], one, unpack(dead))
  local rest = redis.call('HGETALL', KEYS[1])
  if mode_now == '' then return #rest == 0 end
  if #rest == 2 then
    redis.call('DEL', KEYS[1])
    return true
  end
  -- The read locks of the released writer remain, and other clients can now read.
  if is_writer(one) then redis.call('HSET', KEYS[1], 'mode', 'read') end
  if is_writer(one) or mode_now == 'read' then limit_expiry_to_readers(rest) end
  return is_writer(one)
end

-- Reserves the lock as a write lock, because Redisson's read/write lock treats a hash without a mode as free. The key
-- always exists while the script runs. PEXPIRE comes first because a full Redis accepts it. After the first write of a
-- script, Redis does not refuse commands that need memory.
local function reserve_lock(reserved)
  redis.call('PEXPIRE', KEYS[1], format_integer(off_ms))
  redis.call('HSET', KEYS[1], reserved, 1)
  if mode ~= '' then redis.call('HSET', KEYS[1], 'mode', 'write') end
  for _, holder in ipairs(order) do
    if holder ~= reserved then redis.call('HDEL', KEYS[1], holder) end
  end
  if #dead > 0 then redis.call('HDEL', KEYS[1], unpack(dead)) end
  begin_hold(kept, reserved, '', off_ms, now_us)
  kept.owner = reserved
  redis.call('SET', KEYS[2], format_companion(kept), 'PX', compute_companion_ttl_ms(off_ms, off_ms))
  events[#events + 1] = format_event('acquired', now_ms, kept.fence, kept.seq, 1, '', reserved, '', KEYS[1])
end

local may_enter = true
if one ~= '' then
  may_enter = release_one()
elseif off_ms then
  reserve_lock(ARGV[10])
else
  redis.call('DEL', KEYS[1])
end
for k = 3 + reader_keys, 2 + reader_keys + tonumber(ARGV[11]) do redis.call('DEL', KEYS[k]) end
for k = 3, 2 + reader_keys do
  local own = readers[read_companion(k).token]
  if own then
    notify_client(own.token, own.fence)
    forget_hold(own)
    redis.call('SET', KEYS[k], format_companion(own), 'KEEPTTL')
  end
end
if ours then notify_client(ours, fence) end
if ours and not (off_ms and one == '') then
  kept.seq = kept.seq + 1
  forget_hold(kept)
  redis.call('SET', KEYS[2], format_companion(kept), 'KEEPTTL')
end
for _, event in ipairs(events) do redis.pcall('PUBLISH', ARGV[7], event) end
if may_enter then
  redis.pcall('PUBLISH', ARGV[5], ARGV[6])
  if ARGV[8] == '1' then redis.pcall('SPUBLISH', ARGV[5], ARGV[6]) end
end
return { 'released', format_integer(now_ms) }
