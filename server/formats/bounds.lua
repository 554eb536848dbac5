-- Shared by the scripts: functions that read a value only up to a size limit. Any client can write any key, and Redis
-- serves no other client while a script copies a large value.

-- Maximum size of a value, field or member of a lock.
local VALUE_BYTES_MAX = 1024
-- Maximum size of a hash, set or sorted set that is a lock.
local CONTENT_BYTES_MAX = 524288

-- Maximum length of a counter of locks or permits.
local COUNTER_BYTES_MAX = 16

-- Whether the text is a number that INCRBY accepts and Lua represents exactly.
local function is_counter(text)
  return #text <= COUNTER_BYTES_MAX and string.find(text, '^%-?%d+$') ~= nil
end

-- Returns the string at a key; '' if the key is missing or of another type, or if the string is longer than the limit.
local function read_text(k, bytes_max)
  local text = redis.pcall('GETRANGE', KEYS[k], '0', bytes_max)
  return type(text) == 'string' and #text <= bytes_max and text or ''
end

-- Returns the value of a field; nil if the field is missing or the key is of another type; false if the value is longer
-- than the limit.
local function read_field(k, field, bytes_max)
  local length = redis.pcall('HSTRLEN', KEYS[k], field)
  if type(length) ~= 'number' then return nil end
  if length > bytes_max then return false end
  local value = redis.pcall('HGET', KEYS[k], field)
  return type(value) == 'string' and value or nil
end

-- Whether the key uses at most this much memory. MEMORY USAGE visits every element, so check the number of elements
-- first. If Lockkeeper may not run MEMORY USAGE, any size is accepted.
local function is_within_bytes(k, bytes_max)
  local bytes = redis.pcall('MEMORY', 'USAGE', KEYS[k], 'SAMPLES', '0')
  return type(bytes) ~= 'number' or bytes <= bytes_max
end
