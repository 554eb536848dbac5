-- Writes an instance's cached notes to a home store that has lost its data.
--
-- Guarantee: changes nothing if another instance has written notes since the loss.
--
-- KEYS[1] the notes of a target (hash)
-- ARGV field, value of each note and of the change mark
--
-- Returns {'restored'} {'kept'}: the store has notes, or they were removed since the loss

if redis.call('EXISTS', KEYS[1]) == 1 then return { 'kept' } end
for i = 1, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
return { 'restored' }
