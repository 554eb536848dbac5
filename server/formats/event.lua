-- Shared by all scripts that change a lock: functions that parse and format whole numbers, and format the event of a
-- change.

-- include bounds.lua

-- Parses a non-negative number that Lua represents exactly, and rounds it down; 0 for any other text.
local function parse_whole(text)
  local number = tonumber(text or '') or 0
  if number ~= number or number < 0 or number >= 9007199254740992 then return 0 end
  return math.floor(number)
end

local function format_integer(number)
  return string.format('%.0f', number)
end

-- Formats the event that reports a change to a lock. `since` is the start of the hold that the change ended; otherwise
-- ''. Fields are separated by tabs. Control characters in `owner` become spaces, because the owner string of another
-- library may contain any bytes.
local function format_event(event, now_ms, fence, seq, count, since, owner, who, key)
  local printable = string.gsub(string.sub(owner, 1, VALUE_BYTES_MAX), '%c', ' ')
  return table.concat({ event, format_integer(now_ms), fence, format_integer(seq), format_integer(count), since, printable, who }, '\t')
    .. '\n' .. key
end

local function is_wrong_type(failure)
  return string.find(failure.err or '', 'WRONGTYPE', 1, true) ~= nil
end
