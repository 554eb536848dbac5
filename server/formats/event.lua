-- Shared by all that change a lock: how whole numbers are written, and what is told of a change on the channel for events.

local function format_integer(number)
  return string.format('%.0f', number)
end

-- What is published of a change. `since` is when a hold began that has ended by it, else ''.
local function format_event(event, now_ms, fence, seq, count, since, owner, who, key)
  return table.concat({ event, format_integer(now_ms), fence, format_integer(seq), format_integer(count), since, owner, who }, '\t')
    .. '\n' .. key
end

local function is_wrong_type(failure)
  return string.find(failure.err or '', 'WRONGTYPE', 1, true) ~= nil
end
