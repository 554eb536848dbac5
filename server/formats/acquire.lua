-- Acquires a free lock, or returns its holder.
--
-- Guarantee: one holder at a time. A new hold has a larger fencing token than every earlier hold of the key, even if a
-- failover or a restart lost the latest tokens (the server time in microseconds is the lower bound). A repeated request
-- id changes nothing and returns the hold that the first attempt was granted, with the token of that attempt. A script
-- that has written cannot be stopped and is replicated as a whole, so the lock is never visible without its TTL.
--
-- KEYS[1] the lock       KEYS[2] its companion
-- KEYS[3] the counter of Redisson's fenced lock, which is also increased if it exists
-- KEYS[4] the waiters (sorted set: request id, since, owner and declaration -> end of the wait in ms)
-- Only for a fair lock: KEYS[5] its queue (list)    KEYS[6] when each waiter in it times out (sorted set)
--         KEYS[7] until when each waiter of Lockkeeper is alive (sorted set)
-- Only for a read/write lock: KEYS[5] the waiting writers (sorted set: waiter and since -> until when readers give way, in ms)
--         KEYS[6] the companion of the lock
-- Only at the end of a wait for a condition, after all other keys:
-- KEYS[w] the record of each waiter (hash)    KEYS[b] until when each waiter is alive (sorted set)
-- ARGV[1] token    ARGV[2] lease in ms    ARGV[3] request id    ARGV[4] digest of the request
-- ARGV[5] channel for events    ARGV[6] owner, principal, owner record as JSON, and optionally what the waiter declares, one line each
-- ARGV[7] how long the companion is kept unless the lease is extended, in ms
-- The following arguments are optional, but either all or none are passed:
-- ARGV[8] '' or how long the client will wait, in ms    ARGV[9] '' or when the client began to wait, in ms
-- ARGV[10] maximum number of waiters of the lock    ARGV[11] '' or time since the request was first sent, in ms
-- ARGV[12] grace period, in ms
-- ARGV[13] minimum hold time, in ms
-- ARGV[14] 's' or 'ms', the unit of a deadline
-- ARGV[15] '' or how long a client gives way to the longest waiter after a release, in ms
-- Only for acquire-all.lua:
-- ARGV[16] '' or why the lock is not acquired: 'check', because other locks may be held; 'join', to add the client to the
--          list of waiters; 'wait', because it is in that list
-- ARGV[17] id of the client in the list of waiters
-- Only for a fair lock, whose queue lists the client as ARGV[17]: ARGV[18] the fair wait time in ms
-- ARGV[19] channel of waiters    ARGV[20] '1' if waiters may also use sharded pub/sub
-- Only at the end of a wait for a condition: ARGV[21] the waiter, whose record has the count, lease, grace period and owner of
-- the hold
-- Only for a read/write lock: ARGV[18] 'list' if the client waits as a writer    'yield' if it gives way to writers
--
-- Returns {'granted', now ms, count, fence, remaining ms, lease ms, token, 'acquired' or 'repeated', '',
--          release request as JSON or ''}
--         {'held', now ms, remaining ms (-1: no TTL), companion's token, owner, fence, since, record, stored owner,
--          count, ...}
--         {'held', now ms, remaining ms, 'readers', '', '', '', '', token, count, owner, fence, since, record, ...}
--                                         held by the readers of a read/write lock
--         {'held', now ms, ms, ...}       without holders: the lock is free, but for this time only the longest waiter
--                                         or the head of the queue may acquire it
--         {'free', now ms}    only for 'check'
--         {'queue_full', now ms, number of waiters}
--         {'lost', now ms, 'ended'}       the request was executed before and its hold has ended since
--         {'lost', now ms, 'withdrawn'}   the request was withdrawn by its id, possibly before it arrived
--         {'lost', now ms, 'no_record'}   the waiter for a condition has no record
--         {'request_id_reused'}      {'unknown'}      {'not_a_lock', type}      {'unit_conflict', 's' or 'ms'}
--         {'not_a_lock', type, '', kind}    the key is a semaphore or a latch
--         {'not_a_lock', type, name}    the auxiliary key of a fair lock with this name is not its queue

-- include fast-path/acquire.lua

-- include format/storage.lua
-- include format/queue.lua
-- include request-window.lua
-- include waiter.lua
-- include release-requests.lua
-- include other-kind.lua
-- include conditions/record.lua

-- Maximum number of ended waits that one call removes.
local WAITS_REMOVED_MAX = 1000
-- Time for which readers give way to a waiting writer after the writer's last attempt. A live writer tries at least
-- every two seconds.
local WRITER_SILENCE_MS = 5000

local token, lease_ms, request_id, digest = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local wait_ms, since, sent_ms = tonumber(ARGV[8] or ''), ARGV[9] or '', tonumber(ARGV[11] or '')
local grace_ms, least_ms, unit = tonumber(ARGV[12] or 0), tonumber(ARGV[13] or 0), ARGV[14] or 'ms'
local give_way_ms, mode, waiter_id = tonumber(ARGV[15] or ''), ARGV[16] or '', ARGV[17] or request_id
local fair_wait_ms = tonumber(ARGV[18] or '')
local owner, principal, record = string.match(ARGV[6], '^([^\n]*)\n([^\n]*)\n([^\n]*)')
local listed = format_listed(owner, ARGV[6])

local time = redis.call('TIME')
local now_us = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now_ms = math.floor(now_us / 1000)

-- A key of another type counts as missing and is overwritten by SET, because these names are reserved.
local kept = read_companion(2)
local named_kind = kept.value
local state, remaining_ms, holders, count = read_state(1, kept, kept.token, now_ms, unit)
if state == 'fault' then return remaining_ms end

-- Removes the client from the list of waiters, because a grant ends its wait.
local function stop_waiting()
  if since ~= '' then redis.pcall('ZREM', KEYS[4], format_waiter(waiter_id, since, listed))
  elseif sent_ms then remove_waiter(4, waiter_id) end
end

local function format_grant(left_ms, how)
  return { 'granted', format_integer(now_ms), format_integer(count), kept.fence, format_integer(left_ms), format_integer(kept.lease),
    kept.token, how, '', format_release_request(kept) }
end

local repeated = find_request(kept.window, request_id)
if repeated then
  if repeated.verb == 'withdrawn' then return { 'lost', format_integer(now_ms), 'withdrawn' } end
  if repeated.verb ~= 'acquire' or repeated.digest ~= digest then return { 'request_id_reused' } end
  stop_waiting()
  local left_ms = count and compute_holder_remaining_ms(remaining_ms, kept) or -1
  if not count or kept.token == '' or not is_acquire_of(repeated, kept, token) or left_ms == 0 then
    return { 'lost', format_integer(now_ms), 'ended' }
  end
  return format_grant(left_ms, 'repeated')
end

if sent_ms and may_be_forgotten(kept.window, now_ms - sent_ms) then return { 'unknown' } end
-- A semaphore or a latch is stored as a number. In a format that accepts any string, a number looks like a lock without
-- TTL.
local is_number = state == 'not_a_lock' and remaining_ms == 'string'
  or state == 'held' and remaining_ms < 0 and is_counter((holders or {})[1] or '')
if is_number then
  -- Each reader has its own companion, so the kind is in the companion of the lock.
  if named_kind == '' and KEYS[6] then named_kind = read_companion(6).value end
  local kind = find_used_kind(1, named_kind)
  if kind ~= '' then return { 'not_a_lock', 'string', '', kind } end
end
if state == 'not_a_lock' or state == 'unit_conflict' then return { state, remaining_ms } end

-- The record of the hold to restore.
local given_up
if ARGV[21] then
  given_up = find_condition_waiter(#KEYS - 1, ARGV[21])
  if not given_up or given_up.state == 'waiting' then return { 'lost', format_integer(now_ms), 'no_record' } end
  lease_ms, grace_ms, owner, principal, record = given_up.lease, given_up.grace, given_up.owner, given_up.principal, given_up.record
end

-- How long this client gives way, and the waiter that did not use its turn. A waiter that missed its turn is gone or
-- slow, so no client gives way to that waiter again before its next attempt.
local gives_way_ms, passed_over
if HAS_QUEUE then
  local fault, kept_ms, sleeper = assess_queue(5, 6, 7, waiter_id, state == 'free', now_ms, fair_wait_ms)
  if fault then return fault end
  if state == 'free' then gives_way_ms = kept_ms end
  if state == 'free' and sleeper then wake_queued(ARGV[19], sleeper, ARGV[20] == '1') end
elseif state == 'free' and give_way_ms then
  gives_way_ms, passed_over = assess_turn(kept.window, give_way_ms, tonumber(since) or now_ms, now_ms)
end

if state == 'free' and not gives_way_ms and mode == 'check' then return { 'free', format_integer(now_ms) } end

if state == 'free' and not gives_way_ms and mode == '' then
  local counter = parse_whole(read_text(3, COUNTER_BYTES_MAX))
  if counter > 0 then
    kept.fence = format_integer(math.max(parse_whole(kept.fence), counter))
    redis.call('SET', KEYS[3], format_integer(math.max(now_us, parse_whole(kept.fence) + 1)), 'KEEPTTL')
  end
  local value, taken_ms = store_hold(1, token, lease_ms + grace_ms, now_ms, unit)
  count = 1
  begin_hold(kept, token, value, lease_ms, now_us)
  if given_up then
    local w, b = #KEYS - 1, #KEYS
    if given_up.count > 1 then increment_count(1, token, format_integer(given_up.count - 1)) end
    count, kept.count = given_up.count, given_up.count
    redis.pcall('HDEL', KEYS[w], ARGV[21])
    redis.pcall('ZREM', KEYS[b], ARGV[21])
  end
  kept.grace, kept.least, kept.owner, kept.principal, kept.record = grace_ms, least_ms, owner, principal, record
  remember_request(kept, request_id, 'acquire', digest, kept.fence, now_ms)
  redis.call('SET', KEYS[2], format_companion(kept), 'PX', compute_companion_ttl_ms(taken_ms, lease_ms))
  stop_waiting()
  if HAS_QUEUE then take_turn(5, 6, 7, waiter_id, now_ms, fair_wait_ms) end
  if passed_over then redis.call('ZREM', KEYS[4], passed_over) end
  redis.pcall('PUBLISH', ARGV[5], format_event('acquired', now_ms, kept.fence, kept.seq, count, '', owner, '', KEYS[1]))
  return format_grant(compute_holder_remaining_ms(taken_ms, kept), 'acquired')
end

if wait_ms then
  local ended = redis.pcall('ZCOUNT', KEYS[4], '-inf', format_integer(now_ms))
  -- The name is reserved, so a key of another type is deleted.
  if type(ended) == 'table' then redis.call('DEL', KEYS[4]) end
  if type(ended) == 'number' and ended > 0 then
    redis.call('ZREMRANGEBYRANK', KEYS[4], 0, math.min(ended, WAITS_REMOVED_MAX) - 1)
  end
  if since == '' or mode == 'join' then
    -- A client that repeats its request returns to its old place in the queue.
    local is_back = HAS_QUEUE and is_queued(5, waiter_id)
    if sent_ms or is_back then remove_waiter(4, waiter_id) end
    local waiting = redis.call('ZCOUNT', KEYS[4], '(' .. format_integer(now_ms), '+inf')
    local is_full = waiting >= tonumber(ARGV[10]) or HAS_QUEUE and not is_back and is_queue_full(5, tonumber(ARGV[10]))
    if is_full then return { 'queue_full', format_integer(now_ms), format_integer(waiting) } end
    if since == '' then since = format_integer(now_ms) end
    redis.pcall('PUBLISH', ARGV[5], format_event('waiting', now_ms, '', 0, 0, '', owner, '', KEYS[1]))
  end
  if HAS_QUEUE then join_queue(5, 6, 7, waiter_id, now_ms, wait_ms, remaining_ms, fair_wait_ms) end
  redis.call('ZADD', KEYS[4], format_integer(now_ms + wait_ms), format_waiter(waiter_id, since, listed))
  -- The TTL is never shortened, because another client may be waiting for longer.
  if redis.call('PTTL', KEYS[4]) < wait_ms + 1000 then redis.call('PEXPIRE', KEYS[4], format_integer(wait_ms + 1000)) end
  if ARGV[18] == 'list' then
    local removed = redis.pcall('ZREMRANGEBYSCORE', KEYS[5], '-inf', format_integer(now_ms))
    if type(removed) == 'table' then redis.call('DEL', KEYS[5]) end
    redis.call('ZADD', KEYS[5], format_integer(now_ms + math.min(wait_ms, WRITER_SILENCE_MS)), waiter_id .. '\t' .. since)
    redis.call('PEXPIRE', KEYS[5], format_integer(WRITER_SILENCE_MS))
  end
end
return format_holders('held', now_ms, gives_way_ms or remaining_ms, kept, holders or {})
