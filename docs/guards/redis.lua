-- Writes a value unless a later holder has written before: check and write are one step.
--
-- KEYS[1] the resource    KEYS[2] the highest fence that wrote it, such as {resource}:fence (same slot, never expires)
-- ARGV[1] fence of the hold    ARGV[2] the value
--
-- Returns 1: written. 0: refused, nothing was written, the hold is over.

local fence = string.find(ARGV[1], '^%d+$') and tonumber(ARGV[1])
if not fence or fence >= 9007199254740992 then return redis.error_reply('ERR this is no fence') end

local highest = tonumber(redis.call('GET', KEYS[2]) or '0')
if fence < highest then return 0 end

redis.call('SET', KEYS[2], ARGV[1])
redis.call('SET', KEYS[1], ARGV[2])
return 1
