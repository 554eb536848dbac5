-- Shared by all that change a lock: how whole numbers are written, and what is told of a change on the channel for events.

local function integer(number)
  return string.format('%.0f', number)
end

-- What is published of a change. `since` is when a hold began that has ended by it, else ''.
local function message(event, now_ms, fence, seq, count, since, owner, who, key)
  return table.concat({ event, integer(now_ms), fence, integer(seq), integer(count), since, owner, who }, '\t')
    .. '\n' .. key
end
