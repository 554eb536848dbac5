-- Shared by the scripts of a semaphore: wakes its waiters.

-- Wakes the waiters of Lockkeeper and Redisson. The message is the number of available permits, because each client of
-- Redisson wakes that many waiters. Nothing is published if no permit is available.
local function publish_permits(k, channel, is_sharded)
  local available = tonumber(read_text(k, COUNTER_BYTES_MAX)) or 0
  if available < 1 then return end
  redis.pcall('PUBLISH', channel, format_integer(available))
  if is_sharded then redis.pcall('SPUBLISH', channel, format_integer(available)) end
end
