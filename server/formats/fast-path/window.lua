-- Shared by the fast paths: the request window, if an entry can be appended.

-- Whether an entry can be appended: no entry has to be removed, and the request is not in the window. A few expired entries
-- may remain. `last` is the time of the last entry, in ms; by default its text ends with it.
local function can_append_request(window, request_id, now_s, last)
  if window == '' then return true end
  return #window < 2000 and not string.find(window, '\n' .. request_id .. '\t', 1, true)
    and (#window < 300 or now_s - (tonumber(string.sub(last or window, -13, -4)) or 0) < 120)
end

-- Whether the last entry is an acquire that the next entry completes (request-window.lua).
local function is_open(window)
  return string.byte(window, -1) == 9
end

-- The server's time in seconds and microseconds, shared by all verbs of this call.
local call_time
local function read_time()
  if not call_time then call_time = redis.call('TIME') end
  return call_time
end
