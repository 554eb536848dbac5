-- Shared by the verbs that free a lock: instead of being free it may stay taken for a while, by a reserved owner and in
-- the lock's own format. So it binds every client of every library, and is listed and freed like any lock.
--
-- KEYS[1] the lock       KEYS[2] its companion

-- Gives the lock to the reserved owner, which is its token, too; the companion describes that hold from here on. Returns
-- the event of it.
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
