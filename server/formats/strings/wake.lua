-- Wakes those who wait for a lock as its library would, once it is free: a hold-off ends without a word.
--
-- Guarantee: does nothing while somebody has the lock; that one's release will wake.
--
-- KEYS[1] the lock    KEYS[2] the list that waiters are blocked on
--
-- Returns {'woken'}   {'held'}

-- As in force-release.lua.
local SIGNAL_MS = 1000

if redis.call('EXISTS', KEYS[1]) == 1 then return { 'held' } end
redis.call('DEL', KEYS[2])
redis.call('LPUSH', KEYS[2], '1')
redis.call('PEXPIRE', KEYS[2], SIGNAL_MS)
return { 'woken' }
