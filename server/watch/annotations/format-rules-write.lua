-- Replaces the format rules of a target, unless another change has replaced them since they were read.
--
-- Guarantee: a call whose reply was lost can be repeated with ARGV[3] = '1'. If the rules are missing, the home store has
-- lost its data, and the call writes them again.
--
-- KEYS[1] the rules (string: JSON)
-- ARGV[1] the value that was read, or ''    ARGV[2] the new value
-- ARGV[3] '1' if an earlier call may have written the new value, else '0'
--
-- Returns {'written'}
--         {'changed'} another change was written first
--         {'unknown'} only for ARGV[3] = '1': the earlier call or another change was written first

local present = redis.call('GET', KEYS[1])
if ARGV[3] == '1' and present == ARGV[2] then return { 'written' } end
if present and present ~= ARGV[1] then return { ARGV[3] == '1' and 'unknown' or 'changed' } end
redis.call('SET', KEYS[1], ARGV[2])
return { 'written' }
