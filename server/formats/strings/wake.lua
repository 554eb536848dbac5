-- Wakes clients of other libraries at the end of a reservation, because no message is sent when a key expires.
--
-- Guarantee: does nothing while the key exists. The clients are then woken when the holder releases the lock.
--
-- KEYS[1] the lock    KEYS[2] the list on which waiters block; optional
-- ARGV[1] the reserved owner
-- Then channels of waiters and their messages, alternating
--
-- Returns {'woken'}   {'held'}   {'reserved', remaining ms}: the reservation was extended

-- include signals.lua

if redis.call('EXISTS', KEYS[1]) == 1 then
  if redis.pcall('GETRANGE', KEYS[1], 0, #ARGV[1]) ~= ARGV[1] then return { 'held' } end
  return { 'reserved', string.format('%.0f', redis.call('PTTL', KEYS[1])) }
end
signal_other_libraries(2, 2)
return { 'woken' }
