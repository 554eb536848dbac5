-- Writes changes to operators and API keys, unless another instance has changed them since they were read.
--
-- Guarantee: writes all changes or none. Each version is written only once, so a call whose reply was lost can be
-- repeated.
--
-- KEYS[1] the accounts (hash: 'version', 'sessions', and a field for each operator and key)
-- ARGV[1] the version that was read, or ''    ARGV[2] the new version
-- The rest: field, new value ('': delete the field)
--
-- Returns {'written'} {'changed'}: another change was written first

local version = redis.call('HGET', KEYS[1], 'version') or ''
if version == ARGV[2] then return { 'written' } end
if version ~= ARGV[1] then return { 'changed' } end
for i = 3, #ARGV, 2 do
  if ARGV[i + 1] == '' then
    redis.call('HDEL', KEYS[1], ARGV[i])
  else
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
  end
end
redis.call('HSET', KEYS[1], 'version', ARGV[2])
return { 'written' }
