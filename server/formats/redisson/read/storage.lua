-- The storage of Redisson's read lock, which several readers share, each with its own lease and companion. Included by
-- each verb.
--
-- KEYS[2] the companion of the reader. The companion of the lock describes the writer and keeps the last fencing token.
-- Only for acquire.lua: KEYS[5] the waiting writers (sorted set: waiter and since -> until when readers give way, in ms)
-- KEYS[6] the companion of the lock    ARGV[1] the token of the reader    ARGV[9] '' or when the reader began to wait, in ms
-- ARGV[18] 'yield' if the reader gives way to writers that began to wait earlier

-- include ../read-write.lua

-- Time by which the companion of a reader outlives its hold, so that requests are remembered. The companion of the lock
-- keeps the fencing token for longer.
local READER_COMPANION_MS = 120000
local WRITERS_MAX = 1024
-- Maximum number of waiting writers that are compared with a reader.
local WRITERS_COMPARED_MAX = 16

-- The lock and its reader, as of the last read.
local seen
local own = { token = '', count = 0, lease_ms = 0 }
local has_freed_lock = false

local function compute_companion_ttl_ms(total_ms, _lease_ms)
  return format_integer(total_ms + READER_COMPANION_MS)
end

-- The event of a waiter has no fencing token, and therefore does not contain the reader's token.
local format_plain_event = format_event
local function format_event(event, now_ms, fence, seq, count, since, owner, who, key)
  if fence == '' then return format_plain_event(event, now_ms, fence, seq, count, since, owner, who, key) end
  return format_reader_event(ARGV[1], event, now_ms, fence, seq, count, since, owner, who, key)
end

-- Returns the time in ms for which this reader gives way to a writer that has waited longer, until that writer counts
-- as silent; nil if there is no such writer.
local function find_gate_ms(now_ms)
  if ARGV[18] ~= 'yield' then return nil end
  local size = redis.pcall('ZCARD', KEYS[5])
  if type(size) ~= 'number' or size == 0 or size > WRITERS_MAX or not is_within_bytes(5, CONTENT_BYTES_MAX) then return nil end
  local since_ms, gate_ms = tonumber(ARGV[9] or '') or now_ms, nil
  local writers = redis.call('ZRANGEBYSCORE', KEYS[5], '(' .. format_integer(now_ms), '+inf', 'WITHSCORES',
    'LIMIT', '0', WRITERS_COMPARED_MAX)
  for i = 1, #writers, 2 do
    local writer_since = tonumber(string.match(writers[i], '\t(%d+)$') or '')
    if writer_since and writer_since < since_ms then gate_ms = math.max(gate_ms or 0, tonumber(writers[i + 1]) - now_ms) end
  end
  return gate_ms
end

-- Describes the writer in the reply of an acquire, using the companion of the lock.
local function describe_writer(kept)
  local of_lock = KEYS[6] and read_companion(6)
  if not of_lock or of_lock.format ~= FORMAT or not seen.counts[of_lock.token] then return end
  kept.token, kept.owner, kept.fence, kept.since, kept.record =
    of_lock.token, of_lock.owner, of_lock.fence, of_lock.since, of_lock.record
end

-- Reads the lock for a reader. Returns 'held' with the reader's remaining time and count if the reader holds the lock,
-- 'free' if the reader can join, and 'held' otherwise. In acquire.lua, also returns 'held' without holders if a writer
-- is next.
local function read_state(k, kept, token, now_ms)
  seen = read_lock(k)
  if kept.format ~= FORMAT or not seen.counts[kept.token] then forget_hold(kept) end
  if seen.state == 'fault' or seen.state == 'not_a_lock' then return seen.state, seen.detail end
  local count = seen.mode ~= '' and seen.counts[token] or nil
  if count then
    own = { token = token, count = count, lease_ms = seen.leases[token] }
    return 'held', find_earlier(own.lease_ms, seen.ttl_ms), seen.holders, count
  end
  if seen.state == 'held' and seen.mode ~= 'read' then
    describe_writer(kept)
    return 'held', seen.remaining_ms, seen.holders
  end
  local gate_ms = KEYS[5] and find_gate_ms(now_ms)
  if gate_ms then return 'held', gate_ms, {} end
  return 'free', 0, seen.holders
end

-- Returns the count of the reader without reading other readers; nil if the reader does not hold the lock, or if its
-- own fields do not show whether it does.
local function find_count(k, kept, token)
  if kept.token ~= token or kept.format ~= FORMAT then return nil end
  local text = read_field(k, token, COUNT_DIGITS_MAX)
  local count = text and is_count(text) and tonumber(text) or nil
  if not count then return nil end
  local lease_ms = read_lease_ms(k, token, count)
  if lease_ms == 0 then return nil end
  own = { token = token, count = count, lease_ms = lease_ms }
  return count
end

local function read_remaining_ms(k, _kept, _now_ms)
  return find_earlier(own.lease_ms, redis.call('PTTL', KEYS[k]))
end

-- Describes a new hold of a reader, with the fencing token of the last writer. If there was no writer, a token is
-- issued for the lock, so that the next writer has a larger token.
local begin_exclusive_hold = begin_hold
local function begin_hold(kept, token, value, lease_ms, now_us)
  local of_lock = read_companion(6)
  local wanted_ms = lease_ms + math.max(COMPANION_MS_MIN, 2 * lease_ms)
  if of_lock.fence == '' then
    forget_hold(of_lock)
    of_lock.fence = format_integer(now_us)
    redis.call('SET', KEYS[6], format_companion(of_lock), 'PX', format_integer(wanted_ms))
  elseif redis.call('PTTL', KEYS[6]) < wanted_ms then
    redis.call('PEXPIRE', KEYS[6], format_integer(wanted_ms))
  end
  begin_exclusive_hold(kept, token, value, lease_ms, now_us)
  kept.fence = of_lock.fence
end

-- Adds a reader. The lease is stored first, so that only a lease remains if a later command fails. A lease expires.
local function store_hold(k, token, total_ms, _now_ms, _unit)
  redis.call('SET', format_lease_key(k, token, 1), '1', 'PX', format_integer(total_ms))
  -- Dead readers are removed before this reader is added, because this reader may be one of them.
  remove_dead_readers(k, seen)
  redis.call('HSET', KEYS[k], 'mode', 'read', token, '1')
  -- -1 means that a reader has a lease without a TTL. The TTL of the lock is then not shortened.
  local longest_ms, set = seen.longest_ms or 0, true
  if longest_ms < 0 then longest_ms = seen.ttl_ms end
  if longest_ms >= 0 then set = redis.pcall('PEXPIRE', KEYS[k], format_integer(math.max(longest_ms, total_ms))) end
  if type(set) == 'table' then
    redis.call('HDEL', KEYS[k], token)
    if #seen.holders == 0 then redis.call('DEL', KEYS[k]) end
    error(set)
  end
  return '', total_ms
end

local function increment_count(k, token)
  local count = redis.call('HINCRBY', KEYS[k], token, '1')
  redis.call('SET', format_lease_key(k, token, count), '1')
  -- The new lease ends with the other leases of the reader. A call of extend_expiry may follow.
  if own.lease_ms > 0 then redis.call('PEXPIRE', format_lease_key(k, token, count), format_integer(own.lease_ms)) end
  own.count = count
end

-- Extends all leases of the reader, and the TTL of the lock if it would end earlier. PEXPIRE comes first because a full
-- Redis accepts it. After the first write of a script, Redis does not refuse commands that need memory.
local function extend_expiry(k, kept, total_ms, _now_ms)
  local missing = {}
  for entry = math.max(1, own.count - LEASES_MAX + 1), own.count do
    local found = redis.call('PEXPIRE', format_lease_key(k, own.token, entry), format_integer(total_ms))
    if found == 0 then missing[#missing + 1] = entry end
  end
  local ttl_ms = redis.call('PTTL', KEYS[k])
  if ttl_ms < 0 then fit_expiry(k, read_lock(k))
  elseif ttl_ms < total_ms then redis.call('PEXPIRE', KEYS[k], format_integer(total_ms)) end
  for _, entry in ipairs(missing) do
    redis.call('SET', format_lease_key(k, own.token, entry), '1', 'PX', format_integer(total_ms))
  end
  return kept.value, total_ms
end

local function decrement_count(k, token)
  local count = redis.call('HINCRBY', KEYS[k], token, '-1')
  redis.call('DEL', format_lease_key(k, token, count + 1))
end

-- A reservation is exclusive, so a reader's release cannot be combined with a reservation.
local function transfer_hold()
  error('a read lock cannot be reserved')
end

-- Removes the reader. The last reader deletes the lock. Otherwise, the TTL of the lock becomes the longest lease of the
-- remaining readers.
local function remove_hold(k, token)
  redis.call('HDEL', KEYS[k], token)
  for entry = math.max(1, own.count - LEASES_MAX + 1), own.count do redis.call('DEL', format_lease_key(k, token, entry)) end
  redis.call('PEXPIRE', KEYS[2], READER_COMPANION_MS)
  if redis.call('HLEN', KEYS[k]) == 1 then
    has_freed_lock = redis.call('HDEL', KEYS[k], 'mode') == 1
    return
  end
  local rest = read_lock(k)
  if rest.state == 'free' then
    has_freed_lock = redis.call('DEL', KEYS[k]) == 1
  elseif rest.mode == 'read' then
    remove_dead_readers(k, rest)
    fit_expiry(k, rest)
  end
end

-- Returns the message that wakes the waiters after a release; nil unless this was the last reader.
local function find_wake_up()
  return has_freed_lock and '0' or nil
end
