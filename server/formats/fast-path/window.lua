-- Shared by the plain cases: the window of requests, as long as nothing has to be thought about.

-- Whether an entry can be added as it is: nothing has to be cut off, and the request is not among them. A few entries
-- that are too old stay with the younger ones.
local function can_append_request(window, request_id, now_s)
  if window == '' then return true end
  return #window < 2000 and not string.find(window, '\n' .. request_id .. '\t', 1, true)
    and (#window < 300 or now_s - (tonumber(string.sub(window, -13, -4)) or 0) < 120)
end

-- The server's time in seconds and microseconds: one for all verbs that are run in this call.
local call_time
local function read_time()
  if not call_time then call_time = redis.call('TIME') end
  return call_time
end
