-- Acquires permits of a semaphore, all or none, or returns how many are available.
--
-- Guarantee: never more permits are acquired than the semaphore has. A new hold has a larger fencing token than every
-- earlier hold of the key. A repeated request id changes nothing and returns its first result. Clients that wait are
-- served in the order in which they began to wait. A string that is not a semaphore is not changed, nor is a semaphore
-- with acquired permits of the other kind. An expirable semaphore without acquired permits is recognized if its number
-- equals the requested limit, or if the companion of the key names it as a semaphore.
--
-- KEYS[1] the semaphore    KEYS[2] the companion of the hold    KEYS[3] the acquired permits (sorted set)
-- KEYS[4] the waiters (sorted set: request id, since, owner and declaration -> end of the wait in ms)
-- KEYS[5] the companion of the key, which keeps its last fencing token
-- KEYS[6] the claim of the waiter whose turn it is    KEYS[7] the acquired permits of the other kind (sorted set)
-- KEYS[8] the queue of waiters (hash, see turn.lua)
-- ARGV[1] token    ARGV[2] lease in ms    ARGV[3] request id    ARGV[4] digest of the request
-- ARGV[5] channel for events    ARGV[6] owner, principal, owner record as JSON, and optionally what the waiter declares, one line each
-- ARGV[7] number of permits    ARGV[8] '' or the total number of permits of the semaphore
-- ARGV[9] channel of waiters    ARGV[10] '1' if waiters may also use sharded pub/sub
-- ARGV[11] '' or how long the client will wait, in ms    ARGV[12] '' or when the client began to wait, in ms
-- ARGV[13] '' or the maximum number of waiters    ARGV[14] '' or time since the request was first sent, in ms
-- ARGV[15] '' or the process of a client that waits
--
-- Returns {'granted', now ms, permits, fence, remaining ms, lease ms, token, 'acquired' or 'repeated', '',
--          release request as JSON or ''}
--         {'short', now ms, ms until a permit expires (-1: never), available permits, total or '', '1' if a client that has
--          waited longer is next, else ''}
--         {'limit_conflict', total, or -1 if there is no semaphore}
--         {'queue_full', now ms, number of waiters}      {'request_id_reused'}      {'unknown'}
--         {'not_a_lock', type, '', kind of lock that uses the key, or ''}
--         {'lost', now ms, 'ended' or 'withdrawn'}

-- include format/storage.lua
-- include format/recognition.lua
-- include ../../request-window.lua
-- include ../../waiter.lua
-- include ../../release-requests.lua
-- include turn.lua
-- include ../../other-kind.lua

-- Maximum number of ended waits that one call removes.
local WAITS_REMOVED_MAX = 1000
-- TTL of the companion of the key. Without the companion, a semaphore whose permits are all available is recognized
-- only by the limit.
local KEY_COMPANION_MS = 172800000
-- Marks the event of a grant that does not end other holds of the semaphore.
local SHARED = '{"shared":true}'
-- Expiry of a Redisson permit without a lease, in Unix ms. Such a permit never expires.
local NEVER_MS = 922337203685477

local token, lease_ms, request_id, digest = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local permits, limit = tonumber(ARGV[7]), tonumber(ARGV[8])
local wait_ms, since, sent_ms, process = tonumber(ARGV[11]), ARGV[12], tonumber(ARGV[14]), ARGV[15]
local owner, principal, record = string.match(ARGV[6], '^([^\n]*)\n([^\n]*)\n([^\n]*)')
local listed = format_listed(owner, ARGV[6])

local time = redis.call('TIME')
local now_us = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now_ms = math.floor(now_us / 1000)

local state, available, acquired = read_semaphore()
if state == 'fault' then return available end
local kept, last = read_companion(2), read_companion(5)
local claimed_by, claimed_since_ms = read_claim(6)

-- Ends the wait and the claim of the client after a grant.
local function stop_waiting()
  if since ~= '' then redis.pcall('ZREM', KEYS[4], format_waiter(request_id, since, listed))
  elseif sent_ms then remove_waiter(4, request_id) end
  if claimed_by == request_id then redis.call('DEL', KEYS[6]) end
  if wait_ms then
    redis.pcall('HDEL', KEYS[8], 'w:' .. request_id)
    -- Records an attempt of the process, because another of its waiters will try next.
    local length = redis.pcall('HSTRLEN', KEYS[8], 'p:' .. process)
    if type(length) == 'number' and length > 0 then redis.call('HSET', KEYS[8], 'p:' .. process, format_integer(now_ms)) end
  end
end

local function format_grant(left_ms, how)
  return { 'granted', format_integer(now_ms), format_integer(kept.count), kept.fence, format_integer(left_ms),
    format_integer(kept.lease), kept.token, how, '', format_release_request(kept) }
end

local repeated = find_request(kept.window, request_id)
if repeated then
  if repeated.verb == 'withdrawn' then return { 'lost', format_integer(now_ms), 'withdrawn' } end
  if repeated.verb ~= 'acquire' or repeated.digest ~= digest then return { 'request_id_reused' } end
  stop_waiting()
  local count = state ~= 'not_a_lock' and find_count(1, kept, kept.token, now_ms)
  if not count or not is_acquire_of(repeated, kept, token) then return { 'lost', format_integer(now_ms), 'ended' } end
  return format_grant(read_remaining_ms(1, kept, now_ms), 'repeated')
end
if sent_ms and may_be_forgotten(kept.window, now_ms - sent_ms) then return { 'unknown' } end
if state == 'not_a_lock' then return { state, available, '', available == 'hash' and find_hash_kind(1) or '' } end
if state == 'semaphore' and acquired == 0 and last.value == 'latch' then return { 'not_a_lock', 'string', '', 'latch' } end
-- The hold exists, so an earlier attempt of this request acquired it. The entry of that attempt has been removed from
-- the request window.
if acquired > 0 and redis.call('ZSCORE', KEYS[3], build_permit_id(token, 1)) then return { 'unknown' } end

if has_permits_at(7) then return { 'not_a_lock', 'string', '', OTHER_KIND } end
if state == 'missing' then
  if not limit then return { 'limit_conflict', '-1' } end
  if permits > limit then return { 'limit_conflict', format_integer(limit) } end
else
  if not is_recognized(available, acquired, last, limit) then return { 'not_a_lock', 'string' } end
  local total = find_limit_conflict(available, acquired, limit, permits)
  if total then return { 'limit_conflict', format_integer(total) } end
end

-- Writes the companion of the key, which shows that it is a semaphore even while all permits are available.
local function write_key_companion(fence)
  forget_hold(last)
  last.fence, last.format, last.value = fence, FORMAT, KIND
  redis.call('SET', KEYS[5], format_companion(last), 'PX', KEY_COMPANION_MS)
end

local reclaimed = reclaim_permits(now_ms)
local is_changed = reclaimed > 0
acquired = acquired - reclaimed
if state == 'missing' then
  -- Redis may have evicted the number although permits are acquired.
  available = limit - acquired
  write_key_companion(last.fence)
  redis.call('SET', KEYS[1], format_integer(available))
  is_changed = true
else
  -- Waiters need the companion to recognize the semaphore after its last permit has been released.
  if last.value ~= KIND then write_key_companion(last.fence) end
  available = available + reclaimed
end

-- Stores the permits of a hold. Returns the time in ms for which they are acquired. If Redis refuses the second write,
-- the first write is undone.
local function store_permits()
  redis.call('INCRBY', KEYS[1], -permits)
  local added = redis.pcall('ZADD', KEYS[3], 'NX', unpack(build_permits(token, permits, now_ms + lease_ms)))
  if type(added) == 'table' then
    redis.call('INCRBY', KEYS[1], permits)
    error(added)
  end
  -- An earlier hold with this token may still have some permits, if another client released the other permits.
  if added < permits then redis.call('INCRBY', KEYS[1], permits - added) end
  return math.min(copy_ttl() or lease_ms, lease_ms)
end

if not claimed_by then claimed_by, claimed_since_ms = give_claim(6, 8, request_id, tonumber(since) or now_ms, now_ms) end
local gives_way_ms = find_give_way_ms(6, claimed_by, claimed_since_ms, request_id, tonumber(since) or now_ms)
if available >= permits and not gives_way_ms then
  local taken_ms = store_permits()
  kept.fence = format_integer(math.max(parse_whole(kept.fence), parse_whole(last.fence)))
  begin_hold(kept, token, KIND, lease_ms, now_us)
  kept.count, kept.owner, kept.principal, kept.record = permits, owner, principal, record
  remember_request(kept, request_id, 'acquire', digest, kept.fence, now_ms)
  redis.call('SET', KEYS[2], format_companion(kept), 'PX', compute_companion_ttl_ms(lease_ms, lease_ms))
  write_key_companion(kept.fence)
  stop_waiting()
  redis.pcall('PUBLISH', ARGV[5], format_event('acquired', now_ms, kept.fence, kept.seq, permits, '', owner, SHARED, KEYS[1]))
  -- Clients that gave way to this client can acquire the remaining permits.
  if claimed_by == request_id or is_changed then publish_permits(1, ARGV[9], ARGV[10] == '1') end
  return format_grant(taken_ms, 'acquired')
end

if wait_ms then
  local ended = redis.pcall('ZCOUNT', KEYS[4], '-inf', format_integer(now_ms))
  -- The name is reserved, so a key of another type is deleted.
  if type(ended) == 'table' then redis.call('DEL', KEYS[4]) end
  if type(ended) == 'number' and ended > 0 then
    redis.call('ZREMRANGEBYRANK', KEYS[4], 0, math.min(ended, WAITS_REMOVED_MAX) - 1)
  end
  if since == '' then
    if sent_ms then remove_waiter(4, request_id) end
    local waiting = redis.call('ZCOUNT', KEYS[4], '(' .. format_integer(now_ms), '+inf')
    if waiting >= tonumber(ARGV[13]) then return { 'queue_full', format_integer(now_ms), format_integer(waiting) } end
    since = format_integer(now_ms)
    redis.pcall('PUBLISH', ARGV[5], format_event('waiting', now_ms, '', 0, 0, '', owner, '', KEYS[1]))
  end
  redis.call('ZADD', KEYS[4], format_integer(now_ms + wait_ms), format_waiter(request_id, since, listed))
  -- The TTL is never shortened, because another client may be waiting for longer.
  if redis.call('PTTL', KEYS[4]) < wait_ms + 1000 then redis.call('PEXPIRE', KEYS[4], format_integer(wait_ms + 1000)) end
  if process ~= '' then add_to_queue(8, request_id, since, process, wait_ms, now_ms) end
  if not gives_way_ms then claim_turn(6, request_id, since, wait_ms) end
end

-- Returns the time in ms until the next permit expires; -1 if no permit expires.
local function compute_next_expiry_ms()
  local first = redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')[2]
  local end_ms = tonumber(first or '') or NEVER_MS
  return end_ms >= NEVER_MS and -1 or math.max(0, end_ms - now_ms)
end

if is_changed then publish_permits(1, ARGV[9], ARGV[10] == '1') end
return { 'short', format_integer(now_ms), format_integer(gives_way_ms or compute_next_expiry_ms()), format_integer(available),
  format_total(available, acquired), gives_way_ms and '1' or '' }
