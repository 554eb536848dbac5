-- The storage of a lock in one string, whose value is the token and whose TTL is the lease. This is the format of
-- redlock, redis-semaphore's Mutex, redis-py, redsync and many other libraries. Included by each verb.
--
-- The value is compared before anything is written. The count is stored in the companion.

local FORMAT = 'token'
-- The lease of the holder and the lock end at the same time.
local margin_ms = 0
local COUNTS_ITSELF = false

-- include ../companion.lua

-- Reads the lock. Returns its state, its TTL in ms (-1: none), a flat list of holders and counts, and the count of
-- `token` or nil. The states are 'free', 'held', 'not_a_lock' with the type of the key, and 'fault' with the error.
-- Clears the companion if it describes another hold.
local function read_state(k, kept, token, _now_ms)
  local value = redis.pcall('GETRANGE', KEYS[k], '0', VALUE_BYTES_MAX)
  if type(value) == 'table' then
    if not is_wrong_type(value) then return 'fault', value end
    forget_hold(kept)
    return 'not_a_lock', redis.call('TYPE', KEYS[k]).ok
  end
  if is_hold_of_other_format(kept, value) then return 'not_a_lock', 'string', { kept.token, format_integer(kept.count) } end
  if kept.format ~= FORMAT or kept.token ~= value then forget_hold(kept) end
  local remaining_ms = redis.call('PTTL', KEYS[k])
  if remaining_ms == -2 then return 'free', 0 end
  if #value > VALUE_BYTES_MAX then return 'not_a_lock', 'string' end
  local count = kept.token ~= '' and kept.count or 1
  return 'held', remaining_ms, { value, format_integer(count) }, value == token and count or nil
end

-- Returns the count of the hold in the companion without reading more than the key's value; nil if this is not
-- sufficient.
local function find_count(k, kept, token)
  if kept.token ~= token or kept.format ~= FORMAT then return nil end
  return redis.pcall('GETRANGE', KEYS[k], '0', VALUE_BYTES_MAX) == token and kept.count or nil
end

local function read_remaining_ms(k, _kept, _now_ms)
  return redis.call('PTTL', KEYS[k])
end

-- Stores a hold in a free lock. Returns the `value` for the companion, and the TTL of the lock in ms.
local function store_hold(k, token, total_ms, _now_ms, _unit)
  redis.call('SET', KEYS[k], token, 'PX', format_integer(total_ms))
  return '', total_ms
end

local function increment_count(_k, _token, _by) end

local function extend_expiry(k, kept, total_ms, _now_ms)
  redis.call('PEXPIRE', KEYS[k], format_integer(total_ms))
  return kept.value, total_ms
end

local function decrement_count(_k, _token) end

-- Transfers the lock to another token. The key always exists while the script runs: during a slot migration, a cluster
-- would re-create a missing key on the other node. PEXPIRE comes first because a full Redis accepts it. After the first
-- write of a script, Redis does not refuse commands that need memory.
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
