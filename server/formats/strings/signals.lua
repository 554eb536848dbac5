-- Wakes clients of other libraries that wait for the release of a string lock. Included by the scripts that release
-- string locks.

-- Time for which a signal is kept for a client that is about to block. The default of python-redis-lock.
local SIGNAL_MS = 1000

-- Signals a list on which clients may block. An existing list contains an unread signal or application data, and is not
-- changed. The function raises no error, because a command that the Redis user may not run must not undo the release.
local function signal_list(k)
  local kind = redis.pcall('TYPE', KEYS[k]).ok
  if kind == 'none' then
    redis.pcall('LPUSH', KEYS[k], '1')
  elseif kind ~= 'list' or redis.pcall('LLEN', KEYS[k]) ~= 1 or redis.pcall('LPOS', KEYS[k], '1') ~= 0 then
    return
  end
  redis.pcall('PEXPIRE', KEYS[k], SIGNAL_MS)
end

-- Signals all waiters. k: the index of the list in KEYS; optional. first: the index in ARGV from which channels and
-- messages alternate.
local function signal_other_libraries(k, first)
  if KEYS[k] then signal_list(k) end
  for i = first, #ARGV, 2 do redis.pcall('PUBLISH', ARGV[i], ARGV[i + 1]) end
end
