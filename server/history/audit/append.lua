-- Appends entries to the audit chain, if its end is the one that the caller built on.
--
-- Guarantee: entries stand in the order of their numbers and each was hashed over the one before it, however many
-- instances append; all that are given are written, or none. Nothing is written onto an end that the caller does not
-- know: it is told the end, and whether entries that it knows, or may have written without hearing the answer, are
-- there. The id of an entry is its number, so a number is never used twice. Entries that are over the limit or too old
-- are removed from the front, and the last one of them is kept as the anchor that what is left hangs on.
--
-- KEYS[1] the stream    KEYS[2] "<number> <hash> <number> <hash>": the end, and the anchor
-- ARGV[1] the end that the caller knows, "<number> <hash>"; '' when it knows of none
-- ARGV[2] the place that a chain begins after, should there be none, "<number> <hash>"; '' when none may be begun
-- ARGV[3] how many entries are kept at most    ARGV[4] those before this time are not kept, Unix ms
-- ARGV[5] numbers of entries whose hashes the caller wants to compare, with spaces between
-- ARGV[6…] for each entry its hash and its text; none to be told the end alone
--
-- Returns {'appended'} | {'behind', end, anchor, hash or '' of each number asked for …}; end '': there is no chain.

local ZEROS = string.rep('0', 64)
-- More digits are not counted on exactly.
local DIGITS_MAX = 15

-- As we write it: whatever else stands there cannot be built on.
local function is_hash(text)
  return #text == 64 and string.find(text, '^[0-9a-f]+$') ~= nil
end

local function field_of(entry, name)
  for i = 1, #entry[2], 2 do
    if entry[2][i] == name then return entry[2][i + 1] end
  end
  return ''
end

local function hash_of(entry, name)
  local hash = field_of(entry, name)
  return is_hash(hash) and hash or ZEROS
end

local function number_of(entry)
  return string.match(entry[1], '^%d+')
end

local known_end, known_hash, from, from_hash = string.match(redis.call('GET', KEYS[2]) or '', '^(%d+) (%x+) (%d+) (%x+)$')
if known_end and not (#known_end <= DIGITS_MAX and #from <= DIGITS_MAX and is_hash(known_hash) and is_hash(from_hash)) then
  known_end, known_hash, from, from_hash = nil, nil, nil, nil
end
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if newest and (not known_end or tonumber(number_of(newest)) > tonumber(known_end)) then
  -- Somebody wrote past us, or our own word of the end is gone: what stands there is the end, right or not.
  known_end, known_hash = number_of(newest), hash_of(newest, 'hash')
end
if newest and not from then
  local oldest = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
  from, from_hash = string.format('%.0f', math.max(0, tonumber(number_of(oldest)) - 1)), hash_of(oldest, 'prev')
end
local there = known_end and (known_end .. ' ' .. known_hash) or ''
local after = there
if not known_end and ARGV[2] ~= '' then
  after = ARGV[2]
  from, from_hash = string.match(after, '^(%d+) (%x+)$')
end

if there ~= ARGV[1] or after == '' or #ARGV < 7 then
  local reply = { 'behind', there, from and (from .. ' ' .. from_hash) or '' }
  for asked in string.gmatch(ARGV[5], '%d+') do
    local found = redis.call('XRANGE', KEYS[1], asked .. '-0', asked .. '-0')[1]
    reply[#reply + 1] = found and field_of(found, 'hash') or ''
  end
  return reply
end

local number, hash = string.match(after, '^(%d+) (%x+)$')
number = tonumber(number)
for i = 6, #ARGV, 2 do
  number = number + 1
  redis.call('XADD', KEYS[1], string.format('%.0f-0', number), 'prev', hash, 'hash', ARGV[i], 'entry', ARGV[i + 1])
  hash = ARGV[i]
end

local function is_old(entry)
  local at = tonumber(string.match(field_of(entry, 'entry'), '^{"number":%d+,"at":(%d+),') or '')
  return at and at < tonumber(ARGV[4])
end

local excess = redis.call('XLEN', KEYS[1]) - tonumber(ARGV[3])
local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
if excess > 0 or is_old(first) then
  -- A few more than were added, so that a lower limit is reached in time and no call takes long.
  local oldest = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', (#ARGV - 5) / 2 + 16)
  for i = 1, #oldest - 1 do
    if i > excess and not is_old(oldest[i]) then break end
    redis.call('XDEL', KEYS[1], oldest[i][1])
    from, from_hash = number_of(oldest[i]), hash_of(oldest[i], 'hash')
  end
end
redis.call('SET', KEYS[2], string.format('%.0f', number) .. ' ' .. hash .. ' ' .. from .. ' ' .. from_hash)
return { 'appended' }
