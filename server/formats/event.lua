-- Shared by all scripts that change a lock: formats whole numbers, and publishes the event of a change.

-- include bounds.lua

local function format_integer(number)
  return string.format('%.0f', number)
end

-- Builds the event of a change. `since` is the start of the hold that the change ended, else ''. Fields are separated by
-- tabs. The owner string of another library may contain any bytes.
local function format_event(event, now_ms, fence, seq, count, since, owner, who, key)
  local printable = string.gsub(string.sub(owner, 1, VALUE_BYTES_MAX), '%c', ' ')
  return table.concat({ event, format_integer(now_ms), fence, format_integer(seq), format_integer(count), since, printable, who }, '\t')
    .. '\n' .. key
end

local function is_wrong_type(failure)
  return string.find(failure.err or '', 'WRONGTYPE', 1, true) ~= nil
end
