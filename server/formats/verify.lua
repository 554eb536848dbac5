-- Reads whether a hold stands at this moment; changes nothing.
--
-- KEYS[1] the lock       KEYS[2] its companion
-- ARGV[1] token    ARGV[2] fence    ARGV[3] principal, or ''
--
-- Returns {'held', now ms, count, fence, remaining ms (-1: no expiry), lease ms, token, '', owner}
--         {'lost', now ms}      {'not_owner'}

-- include format/storage.lua

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local stored = redis.pcall('GET', KEYS[2])
local kept = parse_companion(type(stored) == 'string' and stored or '')
local state, remaining_ms, _, count = read_state(1, kept, ARGV[1], now_ms)
if state == 'fault' then return remaining_ms end

local stands, refusal = is_hold(kept, count, ARGV[1], ARGV[2], ARGV[3])
local left_ms = stands and compute_holder_remaining_ms(remaining_ms, kept)
if state ~= 'held' or not stands and refusal == 'lost' or left_ms == 0 then return { 'lost', format_integer(now_ms) } end
if not stands then return { refusal } end
return { 'held', format_integer(now_ms), format_integer(count), ARGV[2], format_integer(left_ms or -1), format_integer(kept.lease), ARGV[1], '', kept.owner }
