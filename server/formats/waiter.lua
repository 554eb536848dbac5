-- Shared by the scripts that write the waiters of a lock: how a member of that sorted set is composed, whose turn it is, and
-- how a waiter is removed. Needs bounds.lua.
--
-- KEYS[4] who waits (sorted set: request id, since and owner -> end of the wait in ms)

-- More than may wait by our verbs; a larger set is not looked through.
local WAITERS_MAX = 1024
-- Of those, the ones whose waits end first are compared.
local WAITERS_COMPARED_MAX = 16
-- Longer than the last entry of the window of requests.
local ENTRY_BYTES_MAX = 256

local function format_waiter(request_id, since, owner)
  return table.concat({ request_id, since, owner }, '\t')
end

-- Removes a waiter whose `since` is unknown to its client: an earlier try was listed, and its reply was lost.
local function remove_waiter(k, request_id)
  local size = redis.pcall('ZCARD', KEYS[k])
  if type(size) ~= 'number' or size == 0 or size > WAITERS_MAX or not is_within_bytes(k, CONTENT_BYTES_MAX) then return end
  local start = request_id .. '\t'
  for _, name in ipairs(redis.call('ZRANGE', KEYS[k], '0', '-1')) do
    if string.sub(name, 1, #start) == start then redis.call('ZREM', KEYS[k], name) end
  end
end

-- The live waiter that has waited longest, and since when. Clients with equal wait times stand in the set in this order.
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

-- Whether a client that waits since `since` may take a lock that was just released: for how many ms it gives way to the
-- one that has waited longest, or nil and the waiter that was to take the lock and did not.
local function assess_turn(window, give_way_ms, since, now_ms)
  local released_ms = tonumber(string.match(string.sub(window, -ENTRY_BYTES_MAX), '\treleased\t[^\t\n]*\t[^\t\n]*\t(%d+)$') or '')
  if not released_ms then return nil end
  local longest, longest_since = find_longest_waiting(now_ms)
  if not longest or longest_since >= since then return nil end
  local left_ms = released_ms + give_way_ms - now_ms
  if left_ms > 0 and left_ms <= give_way_ms then return left_ms end
  return nil, longest
end
