-- Converts a writer's hold to a reader's hold. No other writer can acquire the lock in between.
--
-- Guarantee: changes only the named hold, and neither its lease nor its fencing token. A repeated request changes nothing and
-- returns the reader. Waiting readers are woken, which Redisson does not do.
--
-- KEYS[1] the lock       KEYS[2] its companion       KEYS[3] the companion of the reader
-- ARGV[1] token of the writer    ARGV[2] fence    ARGV[3] principal, or ''    ARGV[4] token of the reader
-- ARGV[5] channel for events    ARGV[6] channel of the waiters    ARGV[7] '1' if waiters may also use sharded pub/sub
--
-- Returns {'granted', now ms, count, fence, remaining ms, lease ms, token, 'acquired' or 'repeated', owner,
--          release request as JSON or ''}
--         {'lost', now ms, remaining ms, companion's token, owner, fence, since, record, stored owner, count, ...}
--         {'not_owner'}      {'reentered', count}    {'min_hold'}    nothing was done

-- include storage.lua
-- include ../../release-requests.lua

local READER_COMPANION_MS = 120000

local token, fence, principal, reader = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local kept = read_companion(2)
local state, remaining_ms, holders, count = read_state(1, kept, token, now_ms)
if state == 'fault' then return remaining_ms end

local function format_grant(hold, left_ms, how)
  return { 'granted', format_integer(now_ms), '1', fence, format_integer(left_ms), format_integer(hold.lease), reader, how, hold.owner,
    format_release_request(hold) }
end

local standing, left_ms = assess_hold(kept, state, remaining_ms, count, token, fence, principal)
if standing == 'not_owner' then return { standing } end
if standing == 'lost' then
  local own, lock = read_companion(3), read_lock(1)
  local is_reader = lock.mode == 'read' and own.token == reader and own.fence == fence and own.principal == principal
  if is_reader and lock.counts[reader] == 1 then
    return format_grant(own, find_earlier(lock.leases[reader], lock.ttl_ms), 'repeated')
  end
  return format_holders('lost', now_ms, tonumber(remaining_ms) or 0, kept, holders or {})
end
-- The lease and the fence of the reader come from the companion, so a hold without a companion cannot be converted.
if kept.token == '' then return format_holders('lost', now_ms, remaining_ms, kept, holders) end
if count > 1 then return { 'reentered', format_integer(count) } end
if kept.least > 0 then return { 'min_hold' } end

local lease_ms = left_ms or kept.lease
local own = parse_companion(format_companion(kept))
own.token, own.count, own.grace, own.window, own.seq = reader, 1, 0, '', kept.seq + 2
own.since = now_ms
-- PEXPIRE comes first because a full Redis accepts it. After the first write of a script, Redis does not refuse
-- commands that need memory. Until the writer is removed, the lock is exclusive.
redis.call('PEXPIRE', KEYS[1], format_integer(lease_ms))
redis.call('SET', format_lease_key(1, reader, 1), '1', 'PX', format_integer(lease_ms))
redis.call('SET', KEYS[3], format_companion(own), 'PX', format_integer(lease_ms + READER_COMPANION_MS))
redis.call('HSET', KEYS[1], 'mode', 'read', reader, '1')
redis.call('HDEL', KEYS[1], token)
local since = kept.since > 0 and format_integer(kept.since) or ''
kept.seq = kept.seq + 1
local ended = format_event('released', now_ms, fence, kept.seq, 0, since, kept.owner, '', KEYS[1])
forget_hold(kept)
redis.call('SET', KEYS[2], format_companion(kept), 'KEEPTTL')
redis.pcall('PUBLISH', ARGV[5], ended)
redis.pcall('PUBLISH', ARGV[5], format_reader_event(reader, 'acquired', now_ms, fence, own.seq, 1, '', own.owner, '', KEYS[1]))
redis.pcall('PUBLISH', ARGV[6], '1')
if ARGV[7] == '1' then redis.pcall('SPUBLISH', ARGV[6], '1') end
return format_grant(own, lease_ms, 'acquired')
