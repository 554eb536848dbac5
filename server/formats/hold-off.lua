-- Shared by the verbs that free a lock: instead of being free it may stay taken for a while, by a reserved owner and in
-- the lock's own format. So it binds every client of every library, and is listed and freed like any lock.
--
-- KEYS[1] the lock       KEYS[2] its companion

-- Takes the lock that was just freed. The companion tells of the new hold from here on.
local function hold_off(kept, reserved, off_ms, now_us, unit, channel, key)
  local now_ms = math.floor(now_us / 1000)
  local value, taken = take(1, reserved, off_ms, now_ms, unit)
  begin_hold(kept, reserved, value, off_ms, now_us)
  redis.call('SET', KEYS[2], text_of(kept), 'PX', companion_ms(taken, off_ms))
  redis.pcall('PUBLISH', channel, message('acquired', now_ms, kept.fence, kept.seq, 1, '', reserved, '', key))
end

local function unit_of(kept)
  return #kept.value == 10 and 's' or 'ms'
end
