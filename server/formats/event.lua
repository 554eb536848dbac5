-- Shared by all scripts that change a lock: how whole numbers are written, and the event that is published of a change.

-- include bounds.lua

local function format_integer(number)
  return string.format('%.0f', number)
end

-- The event of a change. `since` is when a hold began that has ended by it, else ''. Tabs separate its fields, and the
-- owner of another library may have any bytes.
local function format_event(event, now_ms, fence, seq, count, since, owner, who, key)
  local printable = string.gsub(string.sub(owner, 1, VALUE_BYTES_MAX), '%c', ' ')
  return table.concat({ event, format_integer(now_ms), fence, format_integer(seq), format_integer(count), since, printable, who }, '\t')
    .. '\n' .. key
end

local function is_wrong_type(failure)
  return string.find(failure.err or '', 'WRONGTYPE', 1, true) ~= nil
end
