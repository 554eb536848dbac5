-- Reads the beginning of several strings of one slot. Changes nothing.
--
-- KEYS the strings
-- ARGV[1] index of the last byte that is read
--
-- Returns each string; '' for a key that is missing or of another type

local texts = {}
for n = 1, #KEYS do
  local text = redis.pcall('GETRANGE', KEYS[n], '0', ARGV[1])
  texts[n] = type(text) == 'string' and text or ''
end
return texts
