-- Renews many holds of one process. The watchdog calls it after every third of a lease.
--
-- Guarantee: as renew.lua for each hold. A repeated call changes only the lease, so no request id is needed. Only for
-- clients of the library, which have no principal. An unanswered release request is sent again, because its message may have
-- been lost.
--
-- KEYS[2n-1] a lock      KEYS[2n] its companion
-- ARGV[1] channel for events, then per hold: token, fence, lease in ms
--
-- Returns {now ms, remaining ms of each, '-1' if the hold is gone, '-2' if that cannot be determined}

-- include format/storage.lua
-- include release-requests.lua

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local reply = { format_integer(now_ms) }

for n = 1, #KEYS / 2 do
  local i, j, at = 2 * n - 1, 2 * n, 3 * n - 1
  local token, fence, lease_ms = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
  local kept = read_companion(j)
  local count, remaining_ms, state, _ = find_count(i, kept, token, now_ms), nil, nil, nil
  if count then
    remaining_ms = read_remaining_ms(i, kept, now_ms)
  else
    state, remaining_ms, _, count = read_state(i, kept, token, now_ms)
    count = state == 'held' and count or nil
  end
  local left_ms = state == 'fault' and -2 or -1
  if is_hold(kept, count, token, fence, '') then
    local own_ms = compute_holder_remaining_ms(remaining_ms, kept)
    if own_ms ~= 0 then
      local taken_ms = remaining_ms
      if not own_ms or own_ms < lease_ms then
        kept.value, taken_ms = extend_expiry(i, kept, lease_ms + kept.grace, now_ms)
        kept.lease = lease_ms
      end
      left_ms = compute_holder_remaining_ms(taken_ms, kept)
      if kept.token ~= '' then
        kept.seq = kept.seq + 1
        redis.call('SET', KEYS[j], format_companion(kept), 'PX', compute_companion_ttl_ms(taken_ms, lease_ms))
        redis.pcall('PUBLISH', ARGV[1], format_event('renewed', now_ms, fence, kept.seq, count, '', kept.owner, '', KEYS[i]))
        publish_release_request(kept)
      end
    end
  end
  reply[#reply + 1] = format_integer(left_ms)
end
return reply
