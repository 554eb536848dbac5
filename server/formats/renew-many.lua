-- Prolongs many holds of one process at once: what a watchdog does every third of a lease.
--
-- Guarantee: as renew.lua for each; and a hold of ours only as long as it is the very one, by its fence.
-- Repeating it changes nothing but the lease, so it needs no request id.
--
-- KEYS[2n-1] a lock      KEYS[2n] its companion
-- ARGV[1] channel for events, then for each hold four: owner, fence or '', lease in ms, '' or the principal that
-- acquired it
--
-- Returns {now ms, remaining ms of each, '-1' where the hold is gone, '-2' where that cannot be told}

-- include format/storage.lua

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local reply = { format_integer(now_ms) }

for n = 1, #KEYS / 2 do
  local i, j, at = 2 * n - 1, 2 * n, 4 * n - 2
  local owner, fence, lease_ms = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
  local stored = redis.pcall('GET', KEYS[j])
  local kept = parse_companion(type(stored) == 'string' and stored or '')
  local count, remaining_ms, state, _ = find_count(i, kept, owner, now_ms), nil, nil, nil
  if count then
    remaining_ms = read_remaining_ms(i, kept, now_ms)
  else
    state, remaining_ms, _, count = read_state(i, kept, owner, now_ms, true)
    count = state == 'held' and count
  end
  if is_other_principal(kept, owner, ARGV[at + 3]) then count = nil end
  local left_ms = state == 'fault' and -2 or -1
  if count and (kept.owner == owner and kept.fence or '') == fence then
    local own = compute_holder_remaining_ms(remaining_ms, kept)
    if own ~= 0 then
      local taken = remaining_ms
      if not own or own < lease_ms then
        kept.value, taken = extend_expiry(i, kept, lease_ms + kept.grace, now_ms)
      end
      left_ms = compute_holder_remaining_ms(taken, kept)
      if fence ~= '' then
        kept.seq = kept.seq + 1
        redis.call('SET', KEYS[j], format_companion(kept), 'PX', compute_companion_ttl_ms(taken, lease_ms))
        redis.pcall('PUBLISH', ARGV[1], format_event('renewed', now_ms, fence, kept.seq, count, '', owner, '', KEYS[i]))
      end
    end
  end
  reply[#reply + 1] = format_integer(left_ms)
end
return reply
