-- Checks whether a hold exists. Changes nothing.
--
-- KEYS[1] the lock       KEYS[2] its companion
-- ARGV[1] token    ARGV[2] fence    ARGV[3] principal, or ''
--
-- Returns {'held', now ms, count, fence, remaining ms (-1: no TTL), lease ms, token, '', owner,
--          release request as JSON or ''}
--         {'lost', now ms}      {'not_owner'}

-- include format/storage.lua
-- include release-requests.lua

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local kept = read_companion(2)
local state, remaining_ms, _, count = read_state(1, kept, ARGV[1], now_ms)
if state == 'fault' then return remaining_ms end

local standing, left_ms = assess_hold(kept, state, remaining_ms, count, ARGV[1], ARGV[2], ARGV[3])
if standing == 'lost' then return { 'lost', format_integer(now_ms) } end
if standing == 'not_owner' then return { 'not_owner' } end
return { 'held', format_integer(now_ms), format_integer(count), ARGV[2], format_integer(left_ms or -1), format_integer(kept.lease), ARGV[1], '', kept.owner,
  format_release_request(kept) }
