-- Gives a hold a larger fence: of a quorum all nodes must know the largest that was handed out.
--
-- Guarantee: touches nothing but the fence of the very hold that was granted, and never lowers it.
--
-- KEYS[1] the lock       KEYS[2] its companion
-- ARGV[1] owner    ARGV[2] fence as this node gave it    ARGV[3] the larger one
--
-- Returns {'raised', now ms}    {'lost', now ms}

-- include format

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local stored = redis.pcall('GET', KEYS[2])
local kept = companion_of(type(stored) == 'string' and stored or '')
if not find(1, kept, ARGV[1], now_ms) or kept.fence ~= ARGV[2] and kept.fence ~= ARGV[3] then
  return { 'lost', integer(now_ms) }
end
if whole(ARGV[3]) > whole(kept.fence) then
  -- Also where a repeated request or a release by its id is compared with the hold.
  kept.window = string.gsub(kept.window, '\t' .. kept.fence .. '\t', '\t' .. ARGV[3] .. '\t')
  kept.fence = ARGV[3]
  redis.call('SET', KEYS[2], text_of(kept), 'KEEPTTL')
end
return { 'raised', integer(now_ms) }
