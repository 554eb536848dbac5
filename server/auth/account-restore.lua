-- Writes the accounts as an instance knows them into a store that has lost them, or the last changes to them.
--
-- Guarantee: what is newer is never written over, so of several instances the one that knows the most wins.
--
-- KEYS[1] the accounts (hash)
-- ARGV[1] the version that is known, which begins with a number that rises    The rest: field, what it holds
--
-- Returns {'restored'}   {'newer'}: the store has as much, or more

local function number_of(version) return tonumber(string.match(version, '^%d+')) or 0 end

if number_of(redis.call('HGET', KEYS[1], 'version') or '') >= number_of(ARGV[1]) then return { 'newer' } end
redis.call('DEL', KEYS[1])
for i = 2, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('HSET', KEYS[1], 'version', ARGV[1])
return { 'restored' }
