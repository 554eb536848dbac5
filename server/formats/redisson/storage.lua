-- The storage of Redisson's lock, which is a hash with one field per holder. The value of the field is the count.
-- Included by each verb.
--
-- A hash is a lock if every field is `<uuid>:<number>` (also with `:write`) like Redisson's fields and Lockkeeper's tokens,
-- the field `mode` of a read/write lock, or a reserved owner. Any other hash is application data and is never changed.

local FORMAT = 'redisson'
-- The lease of the holder and the lock end at the same time.
local margin_ms = 0
-- The lock stores the count, not the companion.
local COUNTS_ITSELF = true

-- Maximum number of fields. A larger hash is application data and is not read.
local FIELDS_MAX = 64
local BYTES_MAX = 131072
-- Maximum number of digits of a count that Lua represents exactly.
local COUNT_DIGITS_MAX = 15
-- Maximum number of readers of a read/write lock that a refusal describes.
local READERS_DESCRIBED_MAX = 16

-- include ../companion.lua
-- include owner.lua

local function is_count(value)
  return #value <= COUNT_DIGITS_MAX and string.find(value, '^[1-9]%d*$') ~= nil
end

-- Whether the holders of the last read are the readers of a read/write lock. Each reader has its own companion.
local are_readers = false

-- Returns the companion key of one reader (buildHolderCompanionKey). KEYS does not contain this key, because a client
-- does not know the readers.
local function format_reader_companion_key(k, reader)
  local tag = string.match(KEYS[k], '{[^}]*}')
  return 'lockkeeper:holder:' .. reader .. ':' .. (tag and tag .. ':' .. KEYS[k] or '{' .. KEYS[k] .. '}')
end

-- Builds the reply to a client that is refused because readers hold the lock: 'readers' in place of a token, then six
-- strings for each reader: its token, count, owner, fence, since and record. The last four are empty if the reader uses
-- another library or is beyond the maximum number of described readers.
local function format_readers(now_ms, remaining_ms, holders)
  local reply = { 'held', format_integer(now_ms), format_integer(remaining_ms), 'readers', '', '', '', '' }
  local described = 0
  for i = 1, #holders, 2 do
    if holders[i] ~= 'mode' then
      local own = { token = '' }
      if described < READERS_DESCRIBED_MAX then
        described = described + 1
        local text = redis.pcall('GETRANGE', format_reader_companion_key(1, holders[i]), '0', format_integer(COMPANION_BYTES_MAX))
        if type(text) == 'string' and #text <= COMPANION_BYTES_MAX then own = parse_companion(text) end
      end
      reply[#reply + 1], reply[#reply + 2] = holders[i], holders[i + 1]
      local is_own = own.token == holders[i]
      for _, text in ipairs(is_own and { own.owner, own.fence, format_integer(own.since), own.record } or { '', '', '', '' }) do
        reply[#reply + 1] = text
      end
    end
  end
  return reply
end

local format_exclusive_holders = format_holders
local function format_holders(outcome, now_ms, remaining_ms, kept, holders)
  if outcome == 'held' and are_readers then return format_readers(now_ms, remaining_ms, holders) end
  return format_exclusive_holders(outcome, now_ms, remaining_ms, kept, holders)
end

-- Reads the lock. Returns its state, its TTL in ms (-1: none), a flat list of holders and counts, and the count of
-- `token` or nil. The states are 'free', 'held', 'shared' (a read/write lock), 'not_a_lock' with the type of the key,
-- and 'fault' with the error. Clears the companion if it describes another hold.
local function read_state(k, kept, token, _now_ms)
  are_readers = false
  local size = redis.pcall('HLEN', KEYS[k])
  if size == 0 then
    forget_hold(kept)
    return 'free', 0
  end
  if type(size) == 'table' then
    if not is_wrong_type(size) then return 'fault', size end
    forget_hold(kept)
    return 'not_a_lock', redis.call('TYPE', KEYS[k]).ok
  end
  if size > FIELDS_MAX or not is_within_bytes(k, BYTES_MAX) then
    forget_hold(kept)
    return 'not_a_lock', 'hash'
  end
  local fields = redis.call('HGETALL', KEYS[k])
  local remaining_ms = redis.call('PTTL', KEYS[k])
  local companion_token = kept.format == FORMAT and kept.token or ''
  local count, is_described, is_shared, is_lock = nil, false, false, true
  for i = 1, #fields, 2 do
    if fields[i] == 'mode' then
      is_shared, are_readers = true, fields[i + 1] == 'read'
    else
      if not is_owner(fields[i]) or not is_count(fields[i + 1]) then is_lock = false end
      if fields[i] == token then count = tonumber(fields[i + 1]) end
      if fields[i] == companion_token then is_described = true end
    end
  end
  if is_shared and #fields == 2 then is_lock = false end
  if not is_described then forget_hold(kept) end
  if not is_lock then return 'not_a_lock', 'hash' end
  return is_shared and 'shared' or 'held', remaining_ms, fields, count
end

-- Returns the count of the hold in the companion by reading only its field; nil if this is not sufficient.
local function find_count(k, kept, token)
  if kept.token ~= token or kept.format ~= FORMAT then return nil end
  local count = read_field(k, token, COUNT_DIGITS_MAX)
  return count and is_count(count) and tonumber(count) or nil
end

local function read_remaining_ms(k, _kept, _now_ms)
  return redis.call('PTTL', KEYS[k])
end

-- Stores a hold in a free lock. Returns the `value` for the companion, and the TTL of the lock in ms.
local function store_hold(k, token, total_ms, _now_ms, _unit)
  redis.call('HSET', KEYS[k], token, '1')
  local set = redis.pcall('PEXPIRE', KEYS[k], format_integer(total_ms))
  -- Redis refused to set the TTL, and a lock without a TTL would never expire.
  if type(set) == 'table' then
    redis.call('HDEL', KEYS[k], token)
    error(set)
  end
  return '', total_ms
end

local function increment_count(k, token, by)
  redis.call('HINCRBY', KEYS[k], token, by)
end

local function extend_expiry(k, kept, total_ms, _now_ms)
  redis.call('PEXPIRE', KEYS[k], format_integer(total_ms))
  return kept.value, total_ms
end

local function decrement_count(k, token)
  redis.call('HINCRBY', KEYS[k], token, '-1')
end

-- Transfers the lock to the next token. The tokens are equal if a reservation is extended. The key always exists while
-- the script runs: during a slot migration, a cluster would re-create a missing key on the other node. PEXPIRE comes
-- first because a full Redis accepts it. After the first write of a script, Redis does not refuse commands that need
-- memory.
local function transfer_hold(k, token, next_token, total_ms, _now_ms, _unit)
  redis.call('PEXPIRE', KEYS[k], format_integer(total_ms))
  redis.call('HSET', KEYS[k], next_token, '1')
  if token ~= next_token then redis.call('HDEL', KEYS[k], token) end
  return '', total_ms
end

-- Uses HDEL instead of HINCRBY, because a release must succeed in a full Redis, which refuses commands that need
-- memory.
local function remove_hold(k, token)
  redis.call('HDEL', KEYS[k], token)
end

-- Returns the message that wakes the waiters after a release; nil if no message is needed.
local function find_wake_up()
  return '0'
end
