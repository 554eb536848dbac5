-- Appends entries to the audit chain if the chain ends where the caller expects.
--
-- Guarantee: entries are stored in the order of their numbers, and each hash covers the hash of the previous entry,
-- even if several instances append. Either all given entries are written, or none. If the chain ends elsewhere, nothing
-- is written. The reply then contains the actual end and the requested hashes, which show the caller whether its
-- earlier entries are in the chain. The stream id of an entry is its number, so no number is used twice. The oldest
-- entries beyond the limits are removed. The place of the last removed entry is stored as the anchor of the remaining
-- entries.
--
-- KEYS[1] the stream    KEYS[2] "<number> <hash> <number> <hash>": the end, and the anchor
-- ARGV[1] the end that the caller expects, "<number> <hash>"; '' for none
-- ARGV[2] the place after which a new chain starts if none exists, "<number> <hash>"; '' not to start a chain
-- ARGV[3] maximum number of entries    ARGV[4] entries before this time are removed, Unix ms
-- ARGV[5] numbers of entries whose hashes the caller needs, separated by spaces
-- ARGV[6…] hash and text of each entry; none to read only the end
--
-- Returns {'appended'} | {'behind', end, anchor, hash or '' of each requested number …}; end is '' without a chain.

local ZEROS = string.rep('0', 64)
-- Lua numbers are doubles, which are exact up to 15 digits.
local DIGITS_MAX = 15

-- Checks the format of a hash. No entries can be appended to an end with a malformed hash.
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
  -- An entry was written without this script, or KEYS[2] was lost. The newest entry counts as the end, even if it is
  -- invalid.
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
  -- Removes up to a few more entries than were added. If a limit was lowered, the chain thus shrinks over several
  -- calls, and each call stays short.
  local oldest = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', (#ARGV - 5) / 2 + 16)
  for i = 1, #oldest - 1 do
    if i > excess and not is_old(oldest[i]) then break end
    redis.call('XDEL', KEYS[1], oldest[i][1])
    from, from_hash = number_of(oldest[i]), hash_of(oldest[i], 'hash')
  end
end
redis.call('SET', KEYS[2], string.format('%.0f', number) .. ' ' .. hash .. ' ' .. from .. ' ' .. from_hash)
return { 'appended' }
