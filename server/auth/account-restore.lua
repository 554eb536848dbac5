-- Writes an instance's cached accounts to a store that has lost its accounts or their latest changes.
--
-- Guarantee: newer accounts are never overwritten. If several instances call the script, the newest version wins.
--
-- KEYS[1] the accounts (hash)
-- ARGV[1] the cached version, which starts with an increasing number    The rest: field, value
--
-- Returns {'restored'} {'newer'}: the store has this version or a newer one

local function number_of(version) return tonumber(string.match(version, '^%d+')) or 0 end

if number_of(redis.call('HGET', KEYS[1], 'version') or '') >= number_of(ARGV[1]) then return { 'newer' } end
redis.call('DEL', KEYS[1])
for i = 2, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('HSET', KEYS[1], 'version', ARGV[1])
return { 'restored' }
