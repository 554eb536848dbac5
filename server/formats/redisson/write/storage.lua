-- The storage of Redisson's write lock, which excludes all other readers and writers. Included by each verb.
--
-- The token of a writer is its field in the lock, `<uuid>:<number>:write`. A writer uses the companion of the lock.
-- Only for acquire.lua: KEYS[5] the waiting writers (sorted set: waiter and since -> until when readers give way, in ms)
-- ARGV[9] '' or when the writer began to wait, in ms    ARGV[17] id of the writer in KEYS[5]

-- include ../read-write.lua

-- The lock, as of the last read.
local seen

-- Returns the field of a token. The token of a reservation gets the suffix of a writer.
local function to_field(token)
  return is_writer(token) and token or token .. ':write'
end

-- Reads the lock for a writer. Returns 'free' if the lock has neither a writer nor a live reader. Otherwise returns
-- 'held' and the time until the last holder ends.
local function read_state(k, kept, token, _now_ms)
  seen = read_lock(k)
  if kept.format ~= FORMAT or not seen.counts[kept.token] then forget_hold(kept) end
  if seen.state == 'fault' or seen.state == 'not_a_lock' then return seen.state, seen.detail end
  local count = seen.mode == 'write' and is_writer(token) and seen.counts[token] or nil
  return seen.state, seen.remaining_ms, seen.holders, count
end

local begin_hold_of = begin_hold
local function begin_hold(kept, token, value, lease_ms, now_us)
  begin_hold_of(kept, to_field(token), value, lease_ms, now_us)
end

local function store_hold(k, token, total_ms, _now_ms, _unit)
  redis.call('HSET', KEYS[k], 'mode', 'write', to_field(token), '1')
  local set = redis.pcall('PEXPIRE', KEYS[k], format_integer(total_ms))
  if type(set) == 'table' then
    redis.call('DEL', KEYS[k])
    error(set)
  end
  remove_dead_readers(k, seen)
  if KEYS[5] and (ARGV[9] or '') ~= '' then redis.pcall('ZREM', KEYS[5], ARGV[17] .. '\t' .. ARGV[9]) end
  return '', total_ms
end

local function transfer_hold(k, token, next_token, total_ms, _now_ms, _unit)
  local field = to_field(next_token)
  redis.call('PEXPIRE', KEYS[k], format_integer(total_ms))
  redis.call('HSET', KEYS[k], 'mode', 'write', field, '1')
  if token ~= field then redis.call('HDEL', KEYS[k], token) end
  return '', total_ms
end

-- Removes the writer. The read locks of the same owner remain; only clients of Redisson have such read locks.
local function remove_hold(k, token)
  redis.call('HDEL', KEYS[k], token)
  if redis.call('HLEN', KEYS[k]) == 1 then redis.call('HDEL', KEYS[k], 'mode')
  elseif redis.call('HGET', KEYS[k], 'mode') == 'write' then redis.call('HSET', KEYS[k], 'mode', 'read') end
end

-- Returns the message that announces a release, which wakes all waiters of each Redisson client.
local function find_wake_up()
  return '1'
end
