-- Shared by the scripts that refuse a key: functions that find out which other kind of lock uses the key. Kinds that
-- are stored in a hash exclude each other, so each kind reports a key of another kind as held. Semaphores and latches
-- are numbers and cannot share a key with these kinds.

-- include bounds.lua
-- include redisson/owner.lua

-- Maximum number of fields that are read. Larger than the number of holders of any lock.
local USERS_MAX = 1024
local PERMIT_ID_BYTES = 16

-- Returns 'lock', 'read' or 'write' for a hash that is a lock; '' for other data.
local function find_hash_kind(k)
  if redis.call('HLEN', KEYS[k]) > USERS_MAX or not is_within_bytes(k, CONTENT_BYTES_MAX) then return '' end
  local kind = 'lock'
  for _, field in ipairs(redis.call('HKEYS', KEYS[k])) do
    if field == 'mode' then kind = redis.call('HGET', KEYS[k], field)
    elseif not is_owner(field) then return '' end
  end
  return (kind == 'lock' or kind == 'read' or kind == 'write') and kind or ''
end

-- Returns the key of a semaphore's permits, as Redisson names it.
local function format_permits_key(k)
  return (string.find(KEYS[k], '{', 1, true) and KEYS[k] or '{' .. KEYS[k] .. '}') .. ':timeout'
end

-- Returns the kind of lock that uses the key; '' if the key is not known to be a lock. A number is a semaphore if any
-- of its permits are acquired. Otherwise, the companion of the key names its kind: a semaphore or a latch.
local function find_used_kind(k, named)
  local type = redis.call('TYPE', KEYS[k]).ok
  if type == 'hash' then return find_hash_kind(k) end
  if type ~= 'string' or not is_counter(read_text(k, COUNTER_BYTES_MAX)) then return '' end
  local permit = redis.pcall('ZRANGE', format_permits_key(k), 0, 0)[1]
  if permit and #permit == PERMIT_ID_BYTES then return 'semaphore' end
  return (named == 'latch' or string.find(named, 'semaphore$')) and named or ''
end
