-- The storage of a lock in one string, whose value is the Unix time at which the lock ends, in seconds or in
-- milliseconds. Applications build such locks from SETNX and GETSET. Lockkeeper uses atomic steps and the Redis clock.
-- Included by each verb.
--
-- The value is the deadline. The lock also becomes free when its key expires. Clients of the original recipe use their
-- own clocks and round differently. For this reason, a Lockkeeper hold ends for its holder one unit before the
-- deadline, and Lockkeeper takes over a lock one whole unit after the deadline. If another client has changed the
-- value, the lock is not Lockkeeper's hold, because a GETSET that moves the deadline cannot be distinguished from a
-- GETSET that acquires the lock. A Lockkeeper client that loses the race never moves the winner's deadline, because
-- values are compared before anything is written.
--
-- A value in the past that Lockkeeper did not write can be a deadline that has passed, or the token of another library
-- (`SET key <Date.now()> NX PX`) whose lease has not expired. The two cannot be distinguished, so such a lock stays
-- held until its key expires. A lock without a TTL ends at its deadline, because `SETNX` and `GETSET` do not set a TTL.
-- A TTL above ten years is a Unix time that a client passed to EXPIRE, and not a lease.

local FORMAT = 'timestamp'
local COUNTS_ITSELF = false
-- Unit of a deadline in ms, by its number of digits. Ten digits are seconds, from 2001 to 2286; thirteen are
-- milliseconds.
local UNIT_MS = { [10] = 1000, [13] = 1 }
local TTL_MS_MAX = 10 * 365 * 24 * 3600 * 1000
-- Time from the end of the lease to the end of the lock, in ms: two units of the last value that was read.
local margin_ms = 0

-- include ../companion.lua

local function detect_unit_ms(value)
  return not string.find(value, '%D') and UNIT_MS[#value] or nil
end

-- Returns the time in ms for which other clients cannot acquire the lock.
local function compute_taken_ms(value, now_ms)
  return (parse_whole(value) + 1) * detect_unit_ms(value) - now_ms
end

-- Reads the lock. Returns its state, the time in ms until it can be acquired, a flat list of holders and counts, and
-- the count of `token` or nil. The states are 'free' (also for a lock that has ended), 'held', 'unit_conflict' with the
-- stored unit ('s' or 'ms'), 'not_a_lock' with the type of the key, and 'fault' with the error. Clears the companion if
-- it describes another hold.
local function read_state(k, kept, token, now_ms, unit)
  local value = redis.pcall('GETRANGE', KEYS[k], '0', '31')
  if type(value) == 'table' then
    if not is_wrong_type(value) then return 'fault', value end
    forget_hold(kept)
    return 'not_a_lock', redis.call('TYPE', KEYS[k]).ok
  end
  if is_hold_of_other_format(kept, value) then return 'not_a_lock', 'string', { kept.token, format_integer(kept.count) } end
  if kept.format ~= FORMAT or kept.value ~= value or kept.token == '' then forget_hold(kept) end
  if value == '' and redis.call('EXISTS', KEYS[k]) == 0 then return 'free', 0 end
  local unit_ms = detect_unit_ms(value)
  if not unit_ms then return 'not_a_lock', 'string' end
  local present_unit = unit_ms == 1 and 'ms' or 's'
  if unit and unit ~= present_unit then return 'unit_conflict', present_unit end
  margin_ms = 2 * unit_ms
  local remaining_ms = compute_taken_ms(value, now_ms)
  local ttl_ms = redis.call('PTTL', KEYS[k])
  local is_leased = kept.token == '' and ttl_ms >= 0 and ttl_ms <= TTL_MS_MAX
  if is_leased or ttl_ms >= 0 and ttl_ms < remaining_ms then remaining_ms = ttl_ms end
  if remaining_ms <= 0 and not is_leased then
    forget_hold(kept)
    return 'free', 0
  end
  if kept.token == '' then return 'held', remaining_ms, { value, '1' }, nil end
  return 'held', remaining_ms, { kept.token, format_integer(kept.count) }, kept.token == token and kept.count or nil
end

-- Returns the count of the hold in the companion without reading more than the key's value; nil if this is not
-- sufficient.
local function find_count(k, kept, token, now_ms)
  if kept.token ~= token or kept.format ~= FORMAT or not detect_unit_ms(kept.value) then return nil end
  if redis.pcall('GETRANGE', KEYS[k], '0', '31') ~= kept.value or compute_taken_ms(kept.value, now_ms) <= 0 then return nil end
  margin_ms = 2 * detect_unit_ms(kept.value)
  return kept.count
end

local function read_remaining_ms(_k, kept, now_ms)
  return compute_taken_ms(kept.value, now_ms)
end

-- Stores a hold in a free lock. Returns the `value` for the companion, and the TTL of the lock in ms.
local function store_hold(k, _token, total_ms, now_ms, unit)
  local unit_ms = unit == 's' and 1000 or 1
  local value = format_integer(math.ceil((now_ms + total_ms) / unit_ms) + 1)
  margin_ms = 2 * unit_ms
  local taken_ms = compute_taken_ms(value, now_ms)
  -- Uses PXAT, because PX counts from the script's clock, which may be 1 ms behind TIME. With PX, the key could expire
  -- before the deadline in its value.
  redis.call('SET', KEYS[k], value, 'PXAT', format_integer(now_ms + taken_ms))
  return value, taken_ms
end

local function increment_count(_k, _token, _by) end

-- PEXPIRE comes first because a full Redis accepts it. After the first write of a script, Redis does not refuse commands
-- that need memory.
local function extend_expiry(k, kept, total_ms, now_ms)
  redis.call('PEXPIRE', KEYS[k], format_integer(total_ms))
  return store_hold(k, kept.token, total_ms, now_ms, detect_unit_ms(kept.value) == 1 and 'ms' or 's')
end

local function decrement_count(_k, _token) end

-- Transfers the lock to another token. The key always exists while the script runs: during a slot migration, a cluster
-- would re-create a missing key on the other node. PEXPIRE comes first for the same reason as in extend_expiry.
local function transfer_hold(k, _token, next_token, total_ms, now_ms, unit)
  redis.call('PEXPIRE', KEYS[k], format_integer(total_ms))
  return store_hold(k, next_token, total_ms, now_ms, unit)
end

local function remove_hold(k, _token)
  redis.call('DEL', KEYS[k])
end

-- Returns the message that wakes the waiters after a release; nil if no message is needed.
local function find_wake_up()
  return '0'
end
