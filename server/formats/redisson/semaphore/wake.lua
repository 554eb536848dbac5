-- Shared by the scripts of a semaphore: functions that wake its waiters.
--
-- KEYS[1] the semaphore

-- Builds the name of the channel of waiters as Redisson does, for scripts that do not receive the name.
local function build_permits_channel()
  local key = KEYS[1]
  return 'redisson_sc:' .. (string.find(key, '{', 1, true) and key or '{' .. key .. '}')
end

-- Wakes the waiters of Lockkeeper and Redisson. The message is the number of available permits, because each client of
-- Redisson wakes that many of its waiters. Publishes nothing if no permit is available.
local function publish_permits(k, channel, is_sharded)
  local available = tonumber(read_text(k, COUNTER_BYTES_MAX)) or 0
  if available < 1 then return end
  redis.pcall('PUBLISH', channel, format_integer(available))
  if is_sharded then redis.pcall('SPUBLISH', channel, format_integer(available)) end
end
