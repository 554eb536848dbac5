-- Stores an operator's request that the holder of a lock release it. Only the holder can respond.
--
-- Guarantee: changes only the hold that the operator saw, and neither its lease nor its count. Compares the token and
-- fence of the hold. A repeated request id changes nothing. A new request replaces the previous request.
--
-- KEYS[1] the lock       KEYS[2] its companion
-- ARGV[1] expected token    ARGV[2] expected fence    ARGV[3] id of the request    ARGV[4] operator as a JSON string
-- ARGV[5] reason as a JSON string    ARGV[6] channel for events    ARGV[7] JSON of actor and reason, for the event
--
-- Returns {'requested', now ms, request as JSON}    {'unsupported', now ms}    the client does not read requests
--         {'gone', now ms}   {'changed', now ms}   {'not_a_lock', type}

-- include format/storage.lua
-- include release-requests.lua

local token, fence, id = ARGV[1], ARGV[2], ARGV[3]

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local now = format_integer(now_ms)

local kept = read_companion(2)
local state, remaining_ms, _, count = read_state(1, kept, token, now_ms)
if state == 'fault' then return remaining_ms end
if state == 'free' then return { 'gone', now } end
if state == 'not_a_lock' then return { state, remaining_ms } end
if not count or kept.token ~= token or kept.fence ~= fence then return { 'changed', now } end
if compute_holder_remaining_ms(remaining_ms, kept) == 0 then return { 'gone', now } end

local known, value_at = find_release_request(kept.record)
if not known then return { 'unsupported', now } end
if parse_release_request(known) == id then return { 'requested', now, known } end

local request = '["' .. id .. '","requested",' .. now .. ',' .. ARGV[4] .. ',' .. ARGV[5] .. ',null]'
store_release_request(kept, value_at, request)
local text = format_companion(kept)
if #text - #kept.window > REQUESTED_BYTES_MAX then return { 'unsupported', now } end
kept.seq = kept.seq + 1
redis.call('SET', KEYS[2], format_companion(kept), 'KEEPTTL')
redis.pcall('PUBLISH', ARGV[6], format_event('release_requested', now_ms, fence, kept.seq, count, '', kept.owner, ARGV[7], KEYS[1]))
publish_release_request(kept)
return { 'requested', now, request }
