-- Writes a list of views, if nobody else changed it since it was read.
--
-- Guarantee: a call that is repeated because its reply was lost changes nothing.
--
-- KEYS[1] the list (string: JSON)
-- ARGV[1] as it was read, or ''    ARGV[2] as it is to be, or '': it is gone
-- ARGV[3] for how long it is kept, ms; '0': for good
--
-- Returns {'written'}   {'changed'}: somebody else was faster

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
