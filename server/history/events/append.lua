-- Appends observations of the recorder to the event stream of a target, and stores the time up to which all events are
-- recorded.
--
-- Guarantee: only the recorder can append (its lock and fencing token are compared), and only if it knows the last
-- entry. Another caller could append events that are already recorded. Such a caller must read the newer entries, drop
-- its events that are already recorded, and retry. Lost replies, suspended recorders and several instances with the
-- same observations therefore never cause duplicates.
--
-- KEYS[1] the stream
-- KEYS[2] the time up to which everything is recorded, the id of the last entry, and '1' if older entries were removed
-- KEYS[3] the recorder's lock (format token)    KEYS[4] its companion
-- ARGV[1] the token of the recorder's hold    ARGV[2] its fencing token    ARGV[3] the last id that it knows, or ''
-- ARGV[4] recorded until, ms of the target's clock, or '' for no change
-- ARGV[5] maximum number of entries    ARGV[6] maximum age in ms
-- ARGV[7] the id before which entries are dropped to limit memory, or ''
-- ARGV[8] '1' if the recorder knows that older entries were removed, because a store that lost its data does not know
-- The rest, for each entry: its id ('*' for a new one), type, key, at, owner, fence, seq, count, heldMs, more
--
-- Returns {'appended', id, ...} {'behind', id of the last entry, or ''} {'refused'}: another instance records

local held = redis.call('MGET', KEYS[2], KEYS[3], KEYS[4])
local fence = string.match(held[3] or '', '^[^\n]*\n[^\n]*\n%d*\n(%d*)\n')
if held[2] ~= ARGV[1] or fence ~= ARGV[2] then return { 'refused' } end

local until_ms, last, cut = string.match(held[1] or '', '^(%d*) (%d*%-?%d*) ([01])$')
if not last then
  local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
  until_ms, last, cut = '', newest and newest[1] or '', '0'
end
if last ~= ARGV[3] then return { 'behind', last } end

local reply = { 'appended' }
for i = 9, #ARGV, 10 do
  last = redis.call('XADD', KEYS[1], ARGV[i], 'type', ARGV[i + 1], 'key', ARGV[i + 2], 'at', ARGV[i + 3],
    'owner', ARGV[i + 4], 'fence', ARGV[i + 5], 'seq', ARGV[i + 6], 'count', ARGV[i + 7], 'heldMs', ARGV[i + 8],
    'more', ARGV[i + 9])
  reply[#reply + 1] = last
end

-- Trims only whole nodes ('~'), because an exact trim would rewrite a node with each call.
local time = redis.call('TIME')
local edge = string.format('%.0f', math.max(0, tonumber(time[1]) * 1000 - tonumber(ARGV[6])))
local gone = redis.call('XTRIM', KEYS[1], 'MAXLEN', '~', ARGV[5]) + redis.call('XTRIM', KEYS[1], 'MINID', '~', edge)
if ARGV[7] ~= '' then gone = gone + redis.call('XTRIM', KEYS[1], 'MINID', '~', ARGV[7]) end
if gone > 0 or ARGV[8] == '1' then cut = '1' end
redis.call('SET', KEYS[2], (ARGV[4] ~= '' and ARGV[4] or until_ms) .. ' ' .. last .. ' ' .. cut)
return reply
