-- Shared by the scripts that write the waiters of a lock: functions that build a member of the sorted set of waiters,
-- determine which waiter is next, and remove a waiter. Requires bounds.lua.
--
-- KEYS[4] the waiters (sorted set: request id, since, owner and declaration -> end of the wait in ms)

-- Maximum size of a set that is read. Larger than the limit on Lockkeeper's waiters of a lock.
local WAITERS_MAX = 1024
-- Maximum number of waiters that are compared, starting with those whose waits end first.
local WAITERS_COMPARED_MAX = 16
-- Maximum size in bytes of the last entry of a request window.
local ENTRY_BYTES_MAX = 256

-- Returns the string that is listed for a waiter, which consists of its owner and, after a tab, its declaration.
-- `lines` are the owner lines of its request.
local function format_listed(owner, lines)
  local declared = string.match(lines, '^[^\n]*\n[^\n]*\n[^\n]*\n([^\n]+)$')
  return declared and owner .. '\t' .. declared or owner
end

local function format_waiter(request_id, since, owner)
  return table.concat({ request_id, since, owner }, '\t')
end

-- Removes a waiter whose client does not know `since`, because the reply to an earlier attempt was lost.
local function remove_waiter(k, request_id)
  local size = redis.pcall('ZCARD', KEYS[k])
  if type(size) ~= 'number' or size == 0 or size > WAITERS_MAX or not is_within_bytes(k, CONTENT_BYTES_MAX) then return end
  local start = request_id .. '\t'
  for _, name in ipairs(redis.call('ZRANGE', KEYS[k], '0', '-1')) do
    if string.sub(name, 1, #start) == start then redis.call('ZREM', KEYS[k], name) end
  end
end

-- Returns the live waiter that has waited longest, and the start of its wait. Ties are resolved by the order in the set.
local function find_longest_waiting(now_ms)
  local size = redis.pcall('ZCARD', KEYS[4])
  if type(size) ~= 'number' or size == 0 or size > WAITERS_MAX or not is_within_bytes(4, CONTENT_BYTES_MAX) then return nil end
  local names = redis.call('ZRANGEBYSCORE', KEYS[4], '(' .. format_integer(now_ms), '+inf', 'LIMIT', 0, WAITERS_COMPARED_MAX)
  local longest, longest_since
  for i = 1, #names do
    local since = tonumber(string.match(names[i], '^[^\t]*\t(%d+)\t') or '')
    if since and (not longest or since < longest_since) then longest, longest_since = names[i], since end
  end
  return longest, longest_since
end

-- Returns the time in ms for which a client that began to wait at `since` gives way to the longest waiter of a lock
-- that was just released. Otherwise returns nil and, if the longest waiter did not use its turn, that waiter.
local function assess_turn(window, give_way_ms, since, now_ms)
  local released_ms = tonumber(string.match(string.sub(window, -ENTRY_BYTES_MAX), '\treleased\t[^\t\n]*\t[^\t\n]*\t(%d+)$') or '')
  if not released_ms then return nil end
  local longest, longest_since = find_longest_waiting(now_ms)
  if not longest or longest_since >= since then return nil end
  local left_ms = released_ms + give_way_ms - now_ms
  if left_ms > 0 and left_ms <= give_way_ms then return left_ms end
  return nil, longest
end
