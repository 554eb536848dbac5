-- Wakes clients of other libraries that sleep until a lock of one string is released. Included by the scripts that
-- release one.

-- For how long a signal waits for a client that is about to block; python-redis-lock's own default.
local SIGNAL_MS = 1000

-- A client blocked on the list means that it is missing. What is there is a signal that nobody took yet, which is kept,
-- or application data, which is never touched. A command that our user may not call must not undo the release.
local function signal_list(k)
  local kind = redis.pcall('TYPE', KEYS[k]).ok
  if kind == 'none' then
    redis.pcall('LPUSH', KEYS[k], '1')
  elseif kind ~= 'list' or redis.pcall('LLEN', KEYS[k]) ~= 1 or redis.pcall('LPOS', KEYS[k], '1') ~= 0 then
    return
  end
  redis.pcall('PEXPIRE', KEYS[k], SIGNAL_MS)
end

-- k: the number of the list's key, which may be left out. first: where the channels and what is published there begin
-- in ARGV, in turn.
local function signal_other_libraries(k, first)
  if KEYS[k] then signal_list(k) end
  for i = first, #ARGV, 2 do redis.pcall('PUBLISH', ARGV[i], ARGV[i + 1]) end
end
