-- Shared by the two kinds of Redisson's read/write lock, `read` and `write`: reads the lock and the leases of its readers.
--
-- The hash contains `mode` (`read` or `write`), a field `<uuid>:<number>` per reader and `<uuid>:<number>:write` for the
-- writer; values are counts. Each entry of a reader has its own lease: the key `{lock}:<reader>:rwlock_timeout:<entry>`.
-- A reader holds the lock while one of its leases exists. The TTL of the hash is that of the longest lease, or the lease of
-- the writer.
--
-- A hash without `mode` is a plain lock. Redisson's read/write lock would treat that lock as free, but Lockkeeper
-- treats it as held.

-- include storage.lua

-- Maximum number of holders. A larger hash is application data and is not read.
local HOLDERS_MAX = 1024
-- Maximum number of leases that are read per reader. If a reader has re-entered more often, only its latest leases are
-- read.
local LEASES_MAX = 64

-- Formats the event of a reader. The event contains the reader's token, because readers share a fencing token.
local function format_reader_event(token, event, now_ms, fence, seq, count, since, owner, who, key)
  local text = format_event(event, now_ms, fence, seq, count, since, owner, who, key)
  return string.sub(text, 1, #text - #key - 1) .. '\t' .. token .. '\n' .. key
end

local function is_writer(field)
  return string.sub(field, -6) == ':write'
end

-- Returns the key of one lease of a reader, as Redisson names it. The key has the hash tag of the lock. It is not in
-- KEYS, because a client does not know the other readers.
local function format_lease_key(k, reader, entry)
  local tagged = string.find(KEYS[k], '{', 1, true) and KEYS[k] or '{' .. KEYS[k] .. '}'
  return tagged .. ':' .. reader .. ':rwlock_timeout:' .. format_integer(entry)
end

-- Returns the longest lease of a reader in ms; -1 if a lease has no TTL, 0 if all leases have ended.
local function read_lease_ms(k, reader, count)
  local longest_ms = 0
  for entry = count, math.max(1, count - LEASES_MAX + 1), -1 do
    local left_ms = redis.call('PTTL', format_lease_key(k, reader, entry))
    if left_ms == -1 then return -1 end
    longest_ms = math.max(longest_ms, left_ms)
  end
  return longest_ms
end

-- Returns the smaller of two times in ms; -1 means no end.
local function find_earlier(one_ms, other_ms)
  if one_ms < 0 or other_ms < 0 then return math.max(one_ms, other_ms) end
  return math.min(one_ms, other_ms)
end

-- Returns the lock as a table: `state` is 'free', 'held', 'not_a_lock' or 'fault', the last two with `detail`; `mode`
-- is '' for a plain lock; `holders` lists each holder and its count (flat); `counts` and `leases` are by holder; `dead`
-- lists the readers whose leases have ended. These readers are not in `holders`, `counts` or `leases`. `remaining_ms`
-- is the time until the lock is free.
local function read_lock(k)
  local lock = { state = 'free', mode = '', holders = {}, counts = {}, leases = {}, dead = {}, remaining_ms = 0, ttl_ms = -2 }
  are_readers = false
  local size = redis.pcall('HLEN', KEYS[k])
  if size == 0 then return lock end
  if type(size) == 'table' then
    lock.state, lock.detail = 'fault', size
    if is_wrong_type(size) then lock.state, lock.detail = 'not_a_lock', redis.call('TYPE', KEYS[k]).ok end
    return lock
  end
  lock.state, lock.detail = 'not_a_lock', 'hash'
  if size > HOLDERS_MAX or not is_within_bytes(k, CONTENT_BYTES_MAX) then return lock end
  local fields = redis.call('HGETALL', KEYS[k])
  lock.ttl_ms = redis.call('PTTL', KEYS[k])
  for i = 1, #fields, 2 do
    local field, value = fields[i], fields[i + 1]
    if field == 'mode' then lock.mode = value
    elseif is_owner(field) and is_count(value) then lock.counts[field] = tonumber(value)
    else return lock end
  end
  local is_known = lock.mode == 'read' or lock.mode == 'write' or lock.mode == ''
  if not is_known or next(lock.counts) == nil then return lock end
  local longest_ms = 0
  for i = 1, #fields, 2 do
    local field = fields[i]
    local count = lock.counts[field]
    local lease_ms = count and lock.ttl_ms
    if count and lock.mode == 'read' and not is_writer(field) then lease_ms = read_lease_ms(k, field, count) end
    if lease_ms == 0 and lock.mode == 'read' then
      lock.dead[#lock.dead + 1], lock.counts[field] = field, nil
    elseif lease_ms then
      lock.holders[#lock.holders + 1], lock.holders[#lock.holders + 2] = field, fields[i + 1]
      lock.leases[field] = lease_ms
      longest_ms = (longest_ms < 0 or lease_ms < 0) and -1 or math.max(longest_ms, lease_ms)
    end
  end
  lock.state, lock.detail = #lock.holders > 0 and 'held' or 'free', nil
  lock.longest_ms = longest_ms
  are_readers = lock.mode == 'read'
  lock.remaining_ms = lock.state == 'held' and find_earlier(longest_ms, lock.ttl_ms) or 0
  return lock
end

-- Removes the readers whose leases have ended.
local function remove_dead_readers(k, lock)
  if #lock.dead > 0 then redis.call('HDEL', KEYS[k], unpack(lock.dead)) end
end

-- Sets the TTL of a lock in mode `read` to the longest lease of its readers. If a lease has no TTL, changes nothing.
local function fit_expiry(k, lock)
  if lock.longest_ms > 0 and lock.longest_ms ~= lock.ttl_ms then
    redis.call('PEXPIRE', KEYS[k], format_integer(lock.longest_ms))
  end
end
