-- Counts password attempts, and returns whether an attempt is permitted or how long it must wait.
--
-- Guarantee: an attempt is counted before its password is verified, so concurrent attempts cannot bypass the limit. An
-- attempt that must wait is not counted, so retries do not extend the delay. If the name has logged in from the address
-- before, only earlier attempts for this name from this address count, so attackers at other addresses cannot lock the
-- operator out.
--
-- KEYS[1] attempts for the name from the address    KEYS[2] for the name    KEYS[3] from the address
--   (strings: number of attempts, and time of the last one in milliseconds)
-- KEYS[4] addresses from which the name has logged in (sorted set: address -> time in milliseconds)
-- ARGV[1] 'try' before an attempt, or 'right' if the password of a permitted attempt was correct
-- ARGV[2] address, or '' if unknown    ARGV[3] for 'right': the result returned by 'try'
--
-- Returns {'wait', ms} {'known'}: permitted, from a known address {'stranger'}: permitted

local KEPT_MS, KNOWN_MS, KNOWN_MAX = 86400000, 2592000000, 50
local FORGOTTEN_AFTER_MS = 300000
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local function integer(number) return string.format('%.0f', number) end

local function stored(text)
  local tries, at = string.match(text or '', '^(%d+) (%d+)$')
  return tonumber(tries) or 0, tonumber(at) or 0
end

-- Returns the number of attempts that still count. One attempt is forgotten every five minutes, so that the typos of a
-- whole office do not add up over weeks.
local function read(text)
  local tries, at = stored(text)
  return math.max(0, tries - math.floor(math.max(0, now - at) / FORGOTTEN_AFTER_MS)), at
end
local function text_of(tries, at) return integer(tries) .. ' ' .. integer(at) end

-- Returns the remaining delay in ms. After the free attempts, each delay is twice as long as the previous delay, up to
-- `longest`.
local function wait_of(text, free, longest)
  local tries, at = read(text)
  if tries < free then return 0 end
  return at + math.min(longest, 1000 * 2 ^ math.min(tries - free, 20)) - now
end

if ARGV[1] == 'right' then
  redis.call('DEL', KEYS[1])
  if ARGV[3] == 'stranger' then
    -- Subtracts only this attempt, so that an attacker cannot use logins to an own account to permit more attempts for
    -- other names.
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
