-- Sets the fencing token and the count that the majority of a quorum agreed on.
--
-- Guarantee: changes only these two values, and only for the hold that was granted. The count never decreases. The
-- fencing token may decrease if the vote of a master arrived after the agreement, but the agreed token is still larger
-- than every token that a client received before.
--
-- KEYS[1] the lock       KEYS[2] its companion
-- ARGV[1] token    ARGV[2] fence that this master assigned    ARGV[3] agreed fence
-- ARGV[4] agreed count
--
-- Returns {'agreed', now ms}    {'lost', now ms}

-- include format/storage.lua

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local kept = read_companion(2)
local count, fence = find_count(1, kept, ARGV[1], now_ms), ARGV[3]
if not count or kept.fence ~= ARGV[2] and kept.fence ~= fence then return { 'lost', format_integer(now_ms) } end

-- Some formats store the count in the lock. Their count is not changed.
if not COUNTS_ITSELF then kept.count = math.max(count, tonumber(ARGV[4])) end
-- The request window also contains the fencing token, with which repeated requests and releases by id are compared.
kept.window = string.gsub(kept.window, '\t' .. kept.fence .. '\t', '\t' .. fence .. '\t')
kept.fence = fence
redis.call('SET', KEYS[2], format_companion(kept), 'KEEPTTL')
return { 'agreed', format_integer(now_ms) }
