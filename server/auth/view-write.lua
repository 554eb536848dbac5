-- Writes a list of views, unless another instance has changed it since it was read.
--
-- Guarantee: a call whose reply was lost can be repeated without effect.
--
-- KEYS[1] the list (string: JSON)
-- ARGV[1] the value that was read, or ''    ARGV[2] the new value, or '' to delete it
-- ARGV[3] the TTL in milliseconds; '0' for no TTL
--
-- Returns {'written'} {'changed'}: another change was written first

local present = redis.call('GET', KEYS[1]) or ''
if present == ARGV[2] then return { 'written' } end
if present ~= ARGV[1] then return { 'changed' } end
if ARGV[2] == '' then
  redis.call('DEL', KEYS[1])
elseif ARGV[3] == '0' then
  redis.call('SET', KEYS[1], ARGV[2])
else
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
end
return { 'written' }
