-- Force-releases all values, or one value, of a group that Redisson's multi lock holds.
--
-- Guarantee: releases the values that the operator saw, or nothing. With 'all', releases the values only if no other
-- value of the group is held. Wakes waiters as Redisson's forceUnlock does.
--
-- KEYS[1] the group
-- ARGV[1] 'all' or 'one'    ARGV[2] JSON of actor and reason    ARGV[3] channel of waiters
-- ARGV[4] channel for events    ARGV[5] '1' if waiters may also use sharded pub/sub
-- The rest of the arguments: what to release, each as a value and its owner
--
-- Returns {'released', now ms}   {'gone', now ms}   {'changed', now ms}   {'not_a_lock', type}

-- include ../event.lua

local FIELDS_MAX = 1024

local time = redis.call('TIME')
local now_ms = math.floor(tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000)

local size = redis.pcall('HLEN', KEYS[1])
if type(size) == 'table' then
  if not is_wrong_type(size) then return size end
  return { 'not_a_lock', redis.call('TYPE', KEYS[1]).ok }
end

local function format_entry(value, owner)
  return value .. ':' .. owner
end

local asked, found, changed = {}, 0, false
for i = 6, #ARGV, 2 do
  asked[ARGV[i]] = true
  local owner = read_field(1, ARGV[i], VALUE_BYTES_MAX)
  if owner == ARGV[i + 1] then
    found = found + 1
  elseif owner ~= nil then
    changed = true
  end
end

-- Whether a value that was not requested is held.
local function has_unseen_values()
  if size > FIELDS_MAX or not is_within_bytes(1, CONTENT_BYTES_MAX) then return true end
  local fields = redis.call('HGETALL', KEYS[1])
  local text = {}
  for i = 1, #fields, 2 do text[fields[i]] = fields[i + 1] end
  for value, owner in pairs(text) do
    local end_ms = tonumber(text[format_entry(value, owner) .. ':expire_time'] or '')
    if not asked[value] and end_ms and end_ms > now_ms then return true end
  end
  return false
end

local more = ARGV[1] == 'all' and size > 0 and has_unseen_values()
if found == 0 and not changed and not more then return { 'gone', format_integer(now_ms) } end
if changed or more or found < (#ARGV - 5) / 2 then return { 'changed', format_integer(now_ms) } end

for i = 6, #ARGV, 2 do
  local entry = format_entry(ARGV[i], ARGV[i + 1])
  redis.call('HDEL', KEYS[1], ARGV[i], entry .. ':expire_time', entry .. ':lock_count')
  redis.pcall('PUBLISH', ARGV[4], format_event('force_released', now_ms, '', 0, 0, '', entry, ARGV[2], KEYS[1]))
end
redis.pcall('PUBLISH', ARGV[3], '0')
if ARGV[5] == '1' then redis.pcall('SPUBLISH', ARGV[3], '0') end
return { 'released', format_integer(now_ms) }
