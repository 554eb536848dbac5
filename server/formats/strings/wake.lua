-- Wakes clients of other libraries at the end of a reservation: Redis announces no expiry to them.
--
-- Guarantee: does nothing while the key exists. Whoever holds the lock wakes them by its release.
--
-- KEYS[1] the lock    KEYS[2] the list that waiters are blocked on, left out when there is none
-- ARGV[1] the reserved owner
-- Behind it: channels that waiters listen on and what is published there, in turn
--
-- Returns {'woken'}   {'held'}   {'reserved', remaining ms}: it was extended

-- include signals.lua

if redis.call('EXISTS', KEYS[1]) == 1 then
  if redis.pcall('GETRANGE', KEYS[1], 0, #ARGV[1]) ~= ARGV[1] then return { 'held' } end
  return { 'reserved', string.format('%.0f', redis.call('PTTL', KEYS[1])) }
end
signal_other_libraries(2, 2)
return { 'woken' }
