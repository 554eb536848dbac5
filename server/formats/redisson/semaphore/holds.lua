-- Shared by both kinds of semaphore: reads and changes holds, each of which consists of one or more permits. The count
-- of a hold is the number of its permits.
--
-- KEYS[1] the semaphore    KEYS[3] the permits of its holds (sorted set)

local FORMAT = 'redisson'
local margin_ms = 0
-- The companion stores the count of a hold.
local COUNTS_ITSELF = false

-- include ../../companion.lua
-- include permits.lua

-- Maximum number of permits of a hold.
local PERMITS_MAX = 256

-- The hold that the last call of find_count or read_state found. Its companion may be missing.
local found_token, found_permits = '', 0

-- Returns the number of permits of the hold in the companion; nil if one of these permits is missing or has expired.
local function find_count(_k, kept, token, now_ms)
  if kept.token ~= token or kept.format ~= FORMAT or kept.count < 1 or kept.count > PERMITS_MAX then return nil end
  if not find_hold_end(token, kept.count, now_ms) then return nil end
  found_token, found_permits = token, kept.count
  return kept.count
end

-- Without a companion, counts the permits of a hold from the first one up to the first that is missing.
local function count_permits(token, now_ms)
  local permits = 0
  while permits < PERMITS_MAX do
    local score = redis.pcall('ZSCORE', KEYS[3], build_permit_id(token, permits + 1))
    local end_ms = type(score) == 'string' and tonumber(score)
    if not end_ms or end_ms <= now_ms then break end
    permits = permits + 1
  end
  if permits == 0 then return nil end
  found_token, found_permits = token, permits
  return permits
end

-- Returns the time until the first permit of the hold expires, in ms.
local function read_remaining_ms(_k, _kept, now_ms)
  local left_ms = (find_hold_end(found_token, found_permits, now_ms) or now_ms) - now_ms
  -- If the semaphore has a TTL, its permits have the same TTL.
  local ttl_ms = redis.call('PTTL', KEYS[3])
  return ttl_ms >= 0 and math.min(ttl_ms, left_ms) or left_ms
end

-- Reads the hold of one token. Returns 'held', the remaining time in ms, no holders, and the number of permits; 'free'
-- and 0; 'not_a_lock' and the type of the key; or 'fault' and the error. Clears the companion if it describes another
-- hold.
local function read_state(_k, kept, token, now_ms)
  local state, detail, acquired = read_semaphore()
  if state == 'fault' then return state, detail end
  local count
  if state ~= 'not_a_lock' and acquired > 0 then
    count = kept.token == '' and count_permits(token, now_ms) or find_count(1, kept, token, now_ms)
  end
  if not count then forget_hold(kept) end
  if state == 'not_a_lock' then return state, detail end
  if not count then return 'free', 0 end
  return 'held', read_remaining_ms(1, kept, now_ms), {}, count
end

local function extend_expiry(_k, kept, total_ms, now_ms)
  -- This write comes first because a full Redis accepts it. After the first write of a script, Redis does not refuse
  -- commands that need memory.
  copy_ttl()
  redis.call('ZADD', KEYS[3], 'XX', unpack(build_permits(found_token, found_permits, now_ms + total_ms)))
  -- Redisson's waiters of a plain semaphore sleep until they receive this message.
  if reclaim_permits(now_ms) > 0 then publish_permits(1, build_permits_channel(), true) end
  return kept.value, read_remaining_ms(1, kept, now_ms)
end

-- The API refuses the following verbs for semaphores, so these functions are never called.
local function increment_count(_k, _token, _by)
  error('A hold of a semaphore cannot be re-entered')
end
