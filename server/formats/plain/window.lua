-- Shared by the plain cases: the patterns of a companion that leaves nothing to think about, and its window of requests.

local D4 = '%d%d%d%d'
-- Whatever it tells: the last fence, and the window.
local ANY_COMPANION = '^[^\n]*\n[^\n]*\n%d*\n(%d*)\n%d*\n%d*\n%d*\n%d*\n%d*\n%l*\n[^\n]*(.*)$'
-- Of a hold that was entered once, without a grace and a least time: owner, value, fence, since, seq, window.
local PLAIN_HOLD = '^([^\n]*)\n([^\n]*)\n1\n(' .. D4 .. D4 .. D4 .. D4 .. ')\n([1-9]' .. D4 .. D4 .. D4
  .. ')\n%d+\n0\n0\n(%d%d?%d?%d?%d?%d?)\n' .. FORMAT .. '\n[^\n]*(.*)$'

-- Whether an entry can be added as it is: nothing has to be cut off, and the request is not among them. Entries that
-- are too old stay with the younger ones.
local function is_plain(window, request_id, now_s)
  if window == '' then return true end
  return #window < 2000 and not string.find(window, '\n' .. request_id .. '\t', 1, true)
    and now_s - string.sub(window, -13, -4) < 120
end
