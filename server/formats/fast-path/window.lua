-- Shared by the fast paths: functions that check the request window, and the server's time.

-- Whether an entry can be appended: no entry must be removed first, and the request is not in the window. A few expired
-- entries may remain. `last` is the text of the last entry, which ends with its time in ms; by default the end of the
-- window.
local function can_append_request(window, request_id, now_s, last)
  if window == '' then return true end
  return #window < 2000 and not string.find(window, '\n' .. request_id .. '\t', 1, true)
    and (#window < 300 or now_s - (tonumber(string.sub(last or window, -13, -4)) or 0) < 120)
end

-- Whether the last entry is an open acquire, which the next entry completes (request-window.lua).
local function is_open(window)
  return string.byte(window, -1) == 9
end

-- The server's time in seconds and microseconds, as returned by TIME. All verbs of one script call use the same time.
local call_time
local function read_time()
  if not call_time then call_time = redis.call('TIME') end
  return call_time
end
