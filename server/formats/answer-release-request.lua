-- Stores the response of a lock's holder to a release request.
--
-- Guarantee: changes only the named hold and the named request, and neither the lease nor the count. Only the first
-- response counts: repeating it changes nothing, and a different response is refused.
--
-- KEYS[1] the lock       KEYS[2] its companion
-- ARGV[1] token    ARGV[2] fence    ARGV[3] principal, or ''    ARGV[4] id of the request
-- ARGV[5] 'accepted' or 'refused'    ARGV[6] text of the response as a JSON string, or 'null'    ARGV[7] channel for events
-- ARGV[8] JSON of the text, for the event, or ''
--
-- Returns {'answered', now ms, request as JSON}
--         {'changed', now ms}    there is no such request, or it has a different response
--         {'lost', now ms}      {'not_owner'}    another principal acquired this hold

-- include format/storage.lua
-- include release-requests.lua

local ANSWERS = { accepted = 'release_request_accepted', refused = 'release_request_refused' }

local token, fence, id, answer = ARGV[1], ARGV[2], ARGV[4], ARGV[5]

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local now = format_integer(now_ms)

local kept = read_companion(2)
local state, remaining_ms, _, count = read_state(1, kept, token, now_ms)
if state == 'fault' then return remaining_ms end
local standing = assess_hold(kept, state, remaining_ms, count, token, fence, ARGV[3])
if standing == 'lost' then return { 'lost', now } end
if standing == 'not_owner' then return { 'not_owner' } end

local request, value_at = find_release_request(kept.record)
local known, answered = parse_release_request(request or '')
if not known or known ~= id then return { 'changed', now } end
if answered ~= 'requested' then
  if answered ~= answer then return { 'changed', now } end
  return { 'answered', now, request }
end

local asked = string.match(request, '^%["[%w_-]+","requested",(.*),null%]$')
if not asked then return { 'changed', now } end
request = '["' .. id .. '","' .. answer .. '",' .. asked .. ',' .. ARGV[6] .. ']'
store_release_request(kept, value_at, request)
kept.seq = kept.seq + 1
redis.call('SET', KEYS[2], format_companion(kept), 'KEEPTTL')
redis.pcall('PUBLISH', ARGV[7],
  format_event(ANSWERS[answer], now_ms, fence, kept.seq, count, '', kept.owner, ARGV[8], KEYS[1]))
return { 'answered', now, request }
