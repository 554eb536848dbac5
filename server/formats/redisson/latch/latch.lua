-- Shared by the scripts of a latch, which is stored as Redisson's RCountDownLatch stores it: a number without a TTL while the
-- latch is closed, and no key while it is open.
--
-- KEYS[1] the latch

local FORMAT = 'redisson'
local margin_ms = 0

-- include ../../companion.lua
-- include ../../other-kind.lua

-- Time for which a request is remembered. Longer than any open request and its retries.
local REQUEST_MS = 120000
local REQUEST_BYTES_MAX = 64
-- TTL of the companion after the latch was closed or opened. The companion names the kind, and keeps the last fencing
-- token of the key.
local NAMED_MS = 172800000
-- Time for which the last opening is stored. Longer than any client can wait for the latch.
local OPENED_MS = 86400000

-- Reads the latch. Returns 'closed' and the count; 'open' and 0; 'not_a_lock', the type of the key and the kind of lock
-- that uses the key, or ''; or 'fault' and the error. KEYS[k] is the companion of the key. KEYS[p] exists if the number
-- is a semaphore with acquired permits. KEYS[o] exists if the number is a plain semaphore.
local function read_latch(k, p, o)
  local text = redis.pcall('GETRANGE', KEYS[1], '0', COUNTER_BYTES_MAX)
  if type(text) == 'table' then
    if not is_wrong_type(text) then return 'fault', text end
    return 'not_a_lock', redis.call('TYPE', KEYS[1]).ok, find_used_kind(1, '')
  end
  if text == '' and redis.call('EXISTS', KEYS[1]) == 0 then return 'open', 0 end
  local named = read_companion(k).value
  if redis.call('EXISTS', KEYS[p]) == 1 then named = 'semaphore'
  elseif redis.call('EXISTS', KEYS[o]) == 1 then named = 'plain_semaphore' end
  if string.find(named, 'semaphore$') then return 'not_a_lock', 'string', named end
  -- Other data: a latch has no TTL, and its key is deleted when the count reaches 0.
  if not is_counter(text) or tonumber(text) < 1 or redis.call('PTTL', KEYS[1]) ~= -1 then return 'not_a_lock', 'string', '' end
  return 'closed', tonumber(text)
end

-- Returns the count that an earlier execution of the request stored; false if the request was not executed before;
-- 'reused' if the id was used for another request.
local function find_earlier_request(k, verb, digest)
  local stored = read_text(k, REQUEST_BYTES_MAX)
  if stored == '' then return false end
  local content = verb .. ' ' .. digest .. ' '
  local count = string.sub(stored, #content + 1)
  return string.sub(stored, 1, #content) == content and is_counter(count) and count or 'reused'
end

local function remember_latch_request(k, verb, digest, count)
  redis.call('SET', KEYS[k], verb .. ' ' .. digest .. ' ' .. count, 'PX', REQUEST_MS)
end

-- Stores the time of an opening in KEYS[k]. If a new count is set before a waiter reads the latch, this time shows the
-- waiter that the latch was open. It is later than the time of the previous opening, even if the server's clock was set
-- back.
local function record_opening(k, now_us)
  local last_us = read_text(k, COUNTER_BYTES_MAX)
  if is_counter(last_us) then now_us = math.max(now_us, tonumber(last_us) + 1) end
  redis.call('SET', KEYS[k], format_integer(now_us), 'PX', OPENED_MS)
end

-- Publishes the message that Redisson's waiters expect: 0 if the latch is open, 1 if it has a new count.
local function publish_latch(channel, message, is_sharded)
  redis.pcall('PUBLISH', channel, message)
  if is_sharded then redis.pcall('SPUBLISH', channel, message) end
end

-- Stores the kind in the companion of the key, so that the scripts of semaphores and locks refuse the number. `name` is
-- '' when the latch opens.
local function store_latch_kind(k, name)
  local kept = read_companion(k)
  if kept.value == name then return end
  forget_hold(kept)
  kept.format, kept.value = FORMAT, name
  redis.call('SET', KEYS[k], format_companion(kept), 'PX', NAMED_MS)
end
