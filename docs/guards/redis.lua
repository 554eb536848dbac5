-- Writes a value unless a later holder has written before. Check and write are atomic.
--
-- KEYS[1] the resource    KEYS[2] its highest fencing token, such as {resource}:fence (same slot, no TTL)
-- ARGV[1] fencing token of the hold    ARGV[2] the value
--
-- Returns 1 if the value was written, 0 if it was refused: the hold has ended and nothing was written.

local fence = string.find(ARGV[1], '^%d+$') and tonumber(ARGV[1])
if not fence or fence >= 9007199254740992 then return redis.error_reply('ERR not a fencing token') end

local highest = tonumber(redis.call('GET', KEYS[2]) or '0')
if fence < highest then return 0 end

redis.call('SET', KEYS[2], ARGV[1])
redis.call('SET', KEYS[1], ARGV[2])
return 1
