-- A lock as one string: its value is the Unix time at which it ends, in seconds or in milliseconds. The lock of
-- SETNX and GETSET, each step atomic here and the time Redis's own. Included by each verb.
--
-- The value is the deadline. The key's time to live bounds it: the lock is free once its key has expired. Clients that step literally have clocks of
-- their own and round differently: our hold ends for its holder where the last unit begins, and we take over one whole
-- unit after the end. A value that is not the one we wrote is not ours any more: a literal GETSET may have moved it or
-- taken it, which cannot be told apart. A loser among our clients never moves the winner's deadline: nothing is
-- written before it was compared.
--
-- A value in the past that no hold of ours wrote can be a deadline that has passed, or the token of another library
-- (`SET key <Date.now()> NX PX`) whose lease runs. The two cannot be distinguished, so such a lock stays taken until its
-- key expires. Without a time to live it ends at its deadline: `SETNX` and `GETSET` set none. A time to live above ten
-- years is a Unix time that a client passed to EXPIRE, and no lease.

local FORMAT = 'timestamp'
local COUNTS_ITSELF = false
-- Ten digits are seconds, from 2001 to 2286; thirteen are milliseconds.
local UNIT_MS = { [10] = 1000, [13] = 1 }
local TTL_MS_MAX = 10 * 365 * 24 * 3600 * 1000
-- From the holder's own end to the end for others; of the unit of the value that was looked at last.
local margin_ms = 0

-- include ../companion.lua

local function detect_unit_ms(value)
  return not string.find(value, '%D') and UNIT_MS[#value] or nil
end

-- For how long others must keep off.
local function compute_taken_ms(value, now_ms)
  return (parse_whole(value) + 1) * detect_unit_ms(value) - now_ms
end

-- What the key holds: state, time in ms until it may be taken, holders and counts (flat), the count of this token or
-- nil. States: 'free' (also when it has ended), 'held', 'unit_conflict' and the unit that is there ('s' or 'ms'),
-- 'not_a_lock' and its type, 'fault' and its error.
-- Empties the companion's facts when they are of another hold.
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

-- The count of a token that the companion names, without looking at anything else; nil when it is not so simple.
local function find_count(k, kept, token, now_ms)
  if kept.token ~= token or kept.format ~= FORMAT or not detect_unit_ms(kept.value) then return nil end
  if redis.pcall('GETRANGE', KEYS[k], '0', '31') ~= kept.value or compute_taken_ms(kept.value, now_ms) <= 0 then return nil end
  margin_ms = 2 * detect_unit_ms(kept.value)
  return kept.count
end

local function read_remaining_ms(_k, kept, now_ms)
  return compute_taken_ms(kept.value, now_ms)
end

-- Takes a free lock. Returns what the companion keeps as its value, and for how long the lock is taken.
local function store_hold(k, _token, total_ms, now_ms, unit)
  local unit_ms = unit == 's' and 1000 or 1
  local value = format_integer(math.ceil((now_ms + total_ms) / unit_ms) + 1)
  margin_ms = 2 * unit_ms
  local taken_ms = compute_taken_ms(value, now_ms)
  -- An absolute expiry: counted from the clock of the script, which may be 1 ms behind TIME, PX would end before the value.
  redis.call('SET', KEYS[k], value, 'PXAT', format_integer(now_ms + taken_ms))
  return value, taken_ms
end

local function increment_count(_k, _token) end

local function extend_expiry(k, kept, total_ms, now_ms)
  return store_hold(k, kept.token, total_ms, now_ms, detect_unit_ms(kept.value) == 1 and 'ms' or 's')
end

local function decrement_count(_k, _token) end

-- Gives the lock to another token. The key is there all the while: a cluster that is moving its slot away would make a
-- new one elsewhere. The time to live comes first: a Redis that is full takes what may grow once something was written.
local function transfer_hold(k, _token, next_token, total_ms, now_ms, unit)
  redis.call('PEXPIRE', KEYS[k], format_integer(total_ms))
  return store_hold(k, next_token, total_ms, now_ms, unit)
end

local function remove_hold(k, _token)
  redis.call('DEL', KEYS[k])
end
