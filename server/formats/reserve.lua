-- Shared by the scripts that release a lock: transfers the lock to the owner of a reservation. A reservation is a hold
-- in the format of the lock, so every client of every library respects it. It is listed and released like any other
-- lock.
--
-- KEYS[1] the lock       KEYS[2] its companion

-- Transfers the lock to the reserved owner, whose string is also the token of the hold, and describes the hold in the
-- companion. Returns the event of the new hold.
local function reserve_lock(kept, token, reserved, reserved_ms, now_us, unit)
  local now_ms = math.floor(now_us / 1000)
  local value, taken_ms = transfer_hold(1, token, reserved, reserved_ms, now_ms, unit)
  begin_hold(kept, reserved, value, reserved_ms, now_us)
  kept.owner = reserved
  redis.call('SET', KEYS[2], format_companion(kept), 'PX', compute_companion_ttl_ms(taken_ms, reserved_ms))
  return format_event('acquired', now_ms, kept.fence, kept.seq, 1, '', reserved, '', KEYS[1])
end

local function detect_unit(value)
  return #value == 10 and 's' or 'ms'
end
