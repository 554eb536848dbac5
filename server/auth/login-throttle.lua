-- Counts tries to log in by password, and says how long the next one has to wait.
--
-- Guarantee: a try is counted before its password is looked at, so many at once are no way around. A try that is told to
-- wait counts nothing, so nobody is kept out for longer by asking. At an address from where the name has logged in
-- before, only what was tried from there for that name counts: strangers elsewhere do not keep the name's owner out.
--
-- KEYS[1] tries of the name from the address    KEYS[2] of the name    KEYS[3] from the address
--   (strings: how many, and when the last one was, in ms)
-- KEYS[4] from where the name has logged in (sorted set: address -> ms)
-- ARGV[1] 'try' or 'right': the password of the try before was right
-- ARGV[2] address, or '' when it cannot be told    ARGV[3] of 'right': what 'try' returned
--
-- Returns {'wait', ms}   {'known'}: it may be tried, from a place that is known   {'stranger'}: it may be tried

local KEPT_MS, KNOWN_MS, KNOWN_MAX = 86400000, 2592000000, 50
local FORGOTTEN_AFTER_MS = 300000
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local function integer(number) return string.format('%.0f', number) end

local function stored(text)
  local tries, at = string.match(text or '', '^(%d+) (%d+)$')
  return tonumber(tries) or 0, tonumber(at) or 0
end

-- Slips of the finger of a whole office must not add up over weeks: every five minutes one try is forgotten.
local function read(text)
  local tries, at = stored(text)
  return math.max(0, tries - math.floor(math.max(0, now - at) / FORGOTTEN_AFTER_MS)), at
end
local function text_of(tries, at) return integer(tries) .. ' ' .. integer(at) end

-- From the first try that is not free on, each pause is twice the one before.
local function wait_of(text, free, longest)
  local tries, at = read(text)
  if tries < free then return 0 end
  return at + math.min(longest, 1000 * 2 ^ math.min(tries - free, 20)) - now
end

if ARGV[1] == 'right' then
  redis.call('DEL', KEYS[1])
  if ARGV[3] == 'stranger' then
    -- Its own try alone is taken back: logging in as oneself buys no tries for another name.
    local tries, at = stored(redis.call('GET', KEYS[2]))
    if tries > 0 then redis.call('SET', KEYS[2], text_of(tries - 1, at), 'PX', KEPT_MS) end
    tries, at = stored(redis.call('GET', KEYS[3]))
    if tries > 0 then redis.call('SET', KEYS[3], text_of(tries - 1, at), 'PX', KEPT_MS) end
  end
  if ARGV[2] ~= '' then
    redis.call('ZADD', KEYS[4], integer(now), ARGV[2])
    redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', integer(now - KNOWN_MS))
    local oldest = redis.call('ZRANGE', KEYS[4], 0, -KNOWN_MAX - 1)
    for _, address in ipairs(oldest) do redis.call('ZREM', KEYS[4], address) end
    redis.call('PEXPIRE', KEYS[4], KNOWN_MS)
  end
  return { ARGV[3] }
end

local pair = redis.call('GET', KEYS[1])
local is_known = ARGV[2] ~= '' and redis.call('ZSCORE', KEYS[4], ARGV[2])
local wait = wait_of(pair, 5, 60000)
if not is_known then
  wait = math.max(wait, wait_of(redis.call('GET', KEYS[2]), 10, 900000))
  if ARGV[2] ~= '' then wait = math.max(wait, wait_of(redis.call('GET', KEYS[3]), 20, 60000)) end
end
if wait > 0 then return { 'wait', integer(wait) } end

redis.call('SET', KEYS[1], text_of(read(pair) + 1, now), 'PX', KEPT_MS)
if is_known then return { 'known' } end
redis.call('SET', KEYS[2], text_of(read(redis.call('GET', KEYS[2])) + 1, now), 'PX', KEPT_MS)
if ARGV[2] ~= '' then
  redis.call('SET', KEYS[3], text_of(read(redis.call('GET', KEYS[3])) + 1, now), 'PX', KEPT_MS)
end
return { 'stranger' }
