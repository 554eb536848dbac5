-- Gives a hold the fence and the count that the majority of a quorum agreed on.
--
-- Guarantee: touches nothing but these two of the very hold that was granted. The count is never lowered. The fence may
-- be, of a vote that came after the others had agreed: what they agreed on is larger than all that was handed out
-- before, so this master forgets none that anybody was given.
--
-- KEYS[1] the lock       KEYS[2] its companion
-- ARGV[1] token    ARGV[2] fence as this master gave it    ARGV[3] the fence that was agreed on
-- ARGV[4] the count that was agreed on
--
-- Returns {'agreed', now ms}    {'lost', now ms}

-- include format/storage.lua

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local kept = read_companion(2)
local count, fence = find_count(1, kept, ARGV[1], now_ms), ARGV[3]
if not count or kept.fence ~= ARGV[2] and kept.fence ~= fence then return { 'lost', format_integer(now_ms) } end

-- Where the lock counts itself, that is not ours to change.
if not COUNTS_ITSELF then kept.count = math.max(count, tonumber(ARGV[4])) end
-- Also where a repeated request or a release by its id is compared with the hold.
kept.window = string.gsub(kept.window, '\t' .. kept.fence .. '\t', '\t' .. fence .. '\t')
kept.fence = fence
redis.call('SET', KEYS[2], format_companion(kept), 'KEEPTTL')
return { 'agreed', format_integer(now_ms) }
