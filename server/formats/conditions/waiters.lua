-- Shared by the scripts of conditions: the waiters of all conditions of one lock. Requires event.lua.
--
-- The functions take the numbers of three keys:
-- KEYS[o] the waiters that wait for a signal (sorted set with equal scores, so ordered by name:
--         condition ⇥ number ⇥ waiter)
-- KEYS[w] the record of each waiter (hash)
-- KEYS[b] until when each waiter is alive, in ms (sorted set); negative if expired: until when the record is kept

-- include record.lua

-- Time after which a waiter without a renewal counts as silent. Clients renew the heartbeats of their waiters every two
-- seconds.
local HEARTBEAT_MS = 6000
-- Time for which the record of an expired waiter is kept, so that its client can still re-acquire the lock.
local EXPIRED_MS = 120000
-- TTL of the three keys. Longer than any heartbeat.
local KEYS_MS = 600000
-- Maximum number of waiters that one call handles. Larger than the limit on waiters of a lock.
local WAITERS_HANDLED_MAX = 1024

-- Deletes keys of another type, because these names are reserved. Returns the error of Redis, if any.
local function prepare_waiters(o, w, b)
  local sizes = { [o] = redis.pcall('ZCARD', KEYS[o]), [w] = redis.pcall('HLEN', KEYS[w]), [b] = redis.pcall('ZCARD', KEYS[b]) }
  for k, size in pairs(sizes) do
    if type(size) == 'table' then
      if not is_wrong_type(size) then return size end
      redis.call('DEL', KEYS[k])
    end
  end
end

local function store_waiter(w, waiter)
  local place = table.concat({ waiter.state, waiter.name, waiter.number, waiter.bound, waiter.since, format_integer(waiter.count),
    format_integer(waiter.lease), format_integer(waiter.grace), waiter.digest }, '\t')
  redis.call('HSET', KEYS[w], waiter.id, table.concat({ place, waiter.owner, waiter.principal, waiter.record }, '\n'))
end

local function format_place(waiter)
  return table.concat({ waiter.name, waiter.number, waiter.id }, '\t')
end

-- Returns the number of the last waiter of a condition; nil if there is none.
local function find_last_number(o, name)
  local last = redis.call('ZREVRANGEBYLEX', KEYS[o], '(' .. name .. '\n', '[' .. name .. '\t', 'LIMIT', 0, 1)
  return last[1] and string.match(last[1], '^[^\t]*\t(%d+)\t')
end

-- Ends a waiter's wait for a signal. `bound` is the largest number of a waiter to which the signal can pass; '' without
-- a signal.
local function end_wait(o, w, waiter, state, bound, since_ms)
  redis.call('ZREM', KEYS[o], format_place(waiter))
  waiter.state, waiter.bound, waiter.since = state, bound, format_integer(since_ms)
  store_waiter(w, waiter)
end

-- Signals the waiter that has waited longest for a condition, among those with a number up to `bound`. Returns that
-- waiter; nil if there is none.
local function signal_longest(o, w, name, bound, since_ms)
  for _ = 1, WAITERS_HANDLED_MAX do
    local place = redis.call('ZRANGEBYLEX', KEYS[o], '[' .. name .. '\t', '(' .. name .. '\t' .. bound .. '\n', 'LIMIT', 0, 1)[1]
    if not place then return nil end
    local waiter = find_condition_waiter(w, string.match(place, '^[^\t]*\t[^\t]*\t(.*)$') or '')
    if waiter and waiter.state == 'waiting' and format_place(waiter) == place then
      end_wait(o, w, waiter, 'signalled', bound, since_ms)
      return waiter
    end
    redis.call('ZREM', KEYS[o], place)
  end
end

local function remove_waiter_record(w, b, id)
  redis.call('HDEL', KEYS[w], id)
  redis.call('ZREM', KEYS[b], id)
end

-- Passes a signal that its waiter does not use to the next waiter, and adds that waiter to `woken`.
local function pass_signal(o, w, waiter, now_ms, woken)
  local next_waiter = signal_longest(o, w, waiter.name, waiter.bound, now_ms)
  if next_waiter then woken[#woken + 1] = next_waiter end
end

-- Expires the waiters whose clients are silent, and passes their signals on. Renew the heartbeat of the calling
-- client's waiter first, because that waiter is not silent. Returns the waiters that got a signal.
local function expire_waiters(o, w, b, now_ms)
  local limit = format_integer(WAITERS_HANDLED_MAX)
  -- If the server's clock was set back, heartbeats that end too late are shortened to their full length from now.
  local latest = format_integer(now_ms + HEARTBEAT_MS)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[b], '(' .. latest, '+inf', 'LIMIT', '0', limit)) do
    redis.call('ZADD', KEYS[b], latest, id)
  end
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[b], format_integer(-now_ms), '(0', 'LIMIT', '0', limit)) do
    remove_waiter_record(w, b, id)
  end
  local unused = {}
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[b], '0', format_integer(now_ms), 'LIMIT', '0', limit)) do
    local waiter = find_condition_waiter(w, id)
    if waiter then
      if waiter.state == 'signalled' then unused[#unused + 1] = waiter end
      end_wait(o, w, waiter, 'expired', waiter.bound, now_ms)
      redis.call('ZADD', KEYS[b], format_integer(-now_ms - EXPIRED_MS), id)
    else
      redis.call('ZREM', KEYS[b], id)
    end
  end
  local woken = {}
  -- The signals pass only after all silent waiters have left the order, so no silent waiter receives one.
  for _, waiter in ipairs(unused) do pass_signal(o, w, waiter, now_ms, woken) end
  return woken
end

-- Renews the heartbeat of a waiter. The wait of an expired waiter ends without a signal, because the waiter may have
-- missed one.
local function renew_heartbeat(o, w, b, waiter, until_ms, now_ms)
  if waiter.state == 'expired' then end_wait(o, w, waiter, 'stopped', '', now_ms) end
  redis.call('ZADD', KEYS[b], format_integer(until_ms), waiter.id)
end

local function keep_waiter_keys(o, w, b)
  for _, k in ipairs({ o, w, b }) do redis.call('PEXPIRE', KEYS[k], format_integer(KEYS_MS)) end
end

-- Notifies the clients of these waiters that they may re-acquire the lock: `since ⇥ waiter`, one line each.
local function publish_woken(channel, is_sharded, woken)
  if #woken == 0 then return end
  local lines = {}
  for i, waiter in ipairs(woken) do lines[i] = waiter.since .. '\t' .. waiter.id end
  redis.pcall('PUBLISH', channel, table.concat(lines, '\n'))
  if is_sharded then redis.pcall('SPUBLISH', channel, table.concat(lines, '\n')) end
end
