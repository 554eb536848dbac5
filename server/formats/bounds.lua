-- Shared by the scripts: reads with a limit in bytes. Any client can write any key, and Redis serves no other client while a
-- script copies a large value.

-- Longer values, fields or members do not belong to a lock.
local VALUE_BYTES_MAX = 1024
-- A larger hash, set or sorted set is not a lock.
local CONTENT_BYTES_MAX = 524288

-- Longer than any counter of locks or permits.
local COUNTER_BYTES_MAX = 16

-- Whether the text is a number that INCRBY accepts and Lua represents exactly.
local function is_counter(text)
  return #text <= COUNTER_BYTES_MAX and string.find(text, '^%-?%d+$') ~= nil
end

-- Returns the string at a key; '' if it is missing, of another type, or longer than the limit.
local function read_text(k, bytes_max)
  local text = redis.pcall('GETRANGE', KEYS[k], '0', bytes_max)
  return type(text) == 'string' and #text <= bytes_max and text or ''
end

-- Returns the value of a field: nil if it is missing or the key is of another type, false if it is longer than the limit.
local function read_field(k, field, bytes_max)
  local length = redis.pcall('HSTRLEN', KEYS[k], field)
  if type(length) ~= 'number' then return nil end
  if length > bytes_max then return false end
  local value = redis.pcall('HGET', KEYS[k], field)
  return type(value) == 'string' and value or nil
end

-- Whether the key uses at most this much memory. MEMORY USAGE visits every element, so limit their number first. Without
-- permission to run it, there is no limit in bytes.
local function is_within_bytes(k, bytes_max)
  local bytes = redis.pcall('MEMORY', 'USAGE', KEYS[k], 'SAMPLES', '0')
  return type(bytes) ~= 'number' or bytes <= bytes_max
end
