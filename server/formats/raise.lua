-- Raises the fence and the count of a hold to what the majority of a quorum agreed on.
--
-- Guarantee: touches nothing but these two of the very hold that was granted, and lowers neither.
--
-- KEYS[1] the lock       KEYS[2] its companion
-- ARGV[1] owner    ARGV[2] fence as this node gave it    ARGV[3] the fence that was agreed on
-- ARGV[4] the count that was agreed on
--
-- Returns {'raised', now ms}    {'lost', now ms}

-- include format

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local stored = redis.pcall('GET', KEYS[2])
local kept = companion_of(type(stored) == 'string' and stored or '')
local count = find(1, kept, ARGV[1], now_ms)
if not count or kept.fence ~= ARGV[2] and kept.fence ~= ARGV[3] then return { 'lost', integer(now_ms) } end

local fence = integer(math.max(whole(kept.fence), whole(ARGV[3])))
-- Where the lock counts itself, nothing of it is ours to raise.
if not COUNTS_ITSELF then kept.count = math.max(count, tonumber(ARGV[4])) end
if fence ~= kept.fence then
  -- Also where a repeated request or a release by its id is compared with the hold.
  kept.window = string.gsub(kept.window, '\t' .. kept.fence .. '\t', '\t' .. fence .. '\t')
  kept.fence = fence
end
redis.call('SET', KEYS[2], text_of(kept), 'KEEPTTL')
return { 'raised', integer(now_ms) }
