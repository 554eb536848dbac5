-- Shared by the scripts of a semaphore: determines which waiter is next. The longest live waiter claims the next
-- permits, so that other clients do not overtake it. A claim expires unless the waiter renews it with its next attempt.
--
-- A claim contains the time at which its client began to wait, in ms, and the id of the client. If there is none, the next
-- attempt of any client gives the claim to the longest waiter in the queue, a hash:
--   w:<id of the waiter> -> since when it waits ⇥ until when it will wait, in ms ⇥ its process ⇥ '' or 'claimed'
--   p:<process> -> the time of its last attempt, in ms
-- In each process, only the longest waiter tries, so its attempts show that all waiters of the process are alive. A
-- waiter that got the claim but did not try before the claim expired is removed, because its client may be gone.

-- Time without an attempt after which the waiters of a process are removed. A live waiter tries at least every two
-- seconds.
local CLAIM_MS = 5000
local CLAIM_BYTES_MAX = 256
-- Maximum number of fields in the queue. Each waiter and each process has one field. A larger queue is deleted.
local QUEUE_MAX = 4096

-- Returns the id of the client that claims the next permits, and when that client began to wait; nil if there is no
-- claim.
local function read_claim(k)
  local since, id = string.match(read_text(k, CLAIM_BYTES_MAX), '^(%d+)\t(.+)$')
  return id, tonumber(since)
end

-- Whether the queue exists. A key of another type is deleted, because the name is reserved.
local function has_queue(k)
  local size = redis.pcall('HLEN', KEYS[k])
  if type(size) == 'number' and size <= QUEUE_MAX then return size > 0 end
  redis.call('DEL', KEYS[k])
  return false
end

-- Returns the id of the live waiter that has waited longest, its field, when it began to wait, and the time of the last
-- attempt of its process. Removes the waiters that are not alive. Called only if there is no claim. An attempt in the
-- future was made before the server's clock was set back and is not evidence of liveness.
local function find_longest_waiter(k, now_ms)
  if not has_queue(k) then return nil end
  local fields, attempts, waiters, removed = redis.call('HGETALL', KEYS[k]), {}, {}, {}
  for i = 1, #fields, 2 do
    local kind, name = string.match(fields[i], '^([pw]):(.+)$')
    local at_ms = kind == 'p' and tonumber(fields[i + 1])
    if kind == 'w' then waiters[name] = fields[i + 1]
    elseif at_ms and at_ms <= now_ms and at_ms > now_ms - CLAIM_MS then attempts[name] = at_ms
    else removed[#removed + 1] = fields[i] end
  end
  local longest, longest_since, tried_ms
  for id, value in pairs(waiters) do
    local since, until_ms, process = string.match(value, '^(%d+)\t(%d+)\t([^\t]+)\t$')
    since = tonumber(since)
    if not since or tonumber(until_ms) < now_ms or not attempts[process] then removed[#removed + 1] = 'w:' .. id
    elseif not longest or since < longest_since or since == longest_since and id < longest then
      longest, longest_since, tried_ms = id, since, attempts[process]
    end
  end
  for i = 1, #removed do redis.call('HDEL', KEYS[k], removed[i]) end
  return longest, waiters[longest or ''], longest_since, tried_ms
end

-- Gives the claim to the longest waiter in the queue if that waiter has waited longer than this client. Returns the
-- same values as read_claim.
local function give_claim(k, l, waiter_id, since_ms, now_ms)
  local id, value, longest_since, tried_ms = find_longest_waiter(l, now_ms)
  if not id or id == waiter_id or longest_since >= since_ms then return nil end
  local left_ms = math.max(1, tried_ms + CLAIM_MS - now_ms)
  redis.call('HSET', KEYS[l], 'w:' .. id, value .. 'claimed')
  redis.call('SET', KEYS[k], format_integer(longest_since) .. '\t' .. id, 'PX', format_integer(left_ms))
  return id, longest_since
end

-- Returns the time in ms for which this client gives way to the waiter with the claim; nil if it does not give way.
-- Clients that began to wait in the same millisecond do not give way to each other. Otherwise, the first waiter of a
-- process could give way to the second, which makes no attempts.
local function find_give_way_ms(k, id, claimed_since_ms, waiter_id, since_ms)
  if not id or id == waiter_id or claimed_since_ms >= since_ms then return nil end
  return math.max(1, redis.call('PTTL', KEYS[k]))
end

local function claim_turn(k, waiter_id, since, wait_ms)
  redis.call('SET', KEYS[k], since .. '\t' .. waiter_id, 'PX', format_integer(math.min(CLAIM_MS, wait_ms + 100)))
end

-- Adds a waiter to the queue, or updates its entry.
local function add_to_queue(k, waiter_id, since, process, wait_ms, now_ms)
  has_queue(k)
  local value = table.concat({ since, format_integer(now_ms + wait_ms), process, '' }, '\t')
  redis.call('HSET', KEYS[k], 'w:' .. waiter_id, value, 'p:' .. process, format_integer(now_ms))
  if redis.call('PTTL', KEYS[k]) < wait_ms + 1000 then redis.call('PEXPIRE', KEYS[k], format_integer(wait_ms + 1000)) end
end
