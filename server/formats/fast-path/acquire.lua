-- The fast path of acquire.lua. It applies if the lock is free, has no counter of a fenced lock and no waiters, and the
-- request is new and has no options except a lease. Every other case continues in acquire.lua, which includes this
-- file. The effects are exactly the same; a property test compares them.
--
-- KEYS[1] the lock    KEYS[2] its companion
-- ARGV[1] token    ARGV[2] lease in ms    ARGV[3] request id    ARGV[4] digest of the request
-- ARGV[5] channel for events    ARGV[6] owner, principal and owner record as JSON, three lines, stored unchanged
-- ARGV[7] how long the companion is kept, in ms

-- include format/fast-path.lua

if #ARGV == 7 and is_free() then
  -- Numeric arguments are strings, because Redis formats a Lua number with 17 digits, which takes longer than the
  -- command itself.
  local stored = redis.pcall('GETRANGE', KEYS[2], '0', '8192')
  local last_fence, window = '', ''
  if stored ~= '' then
    stored = type(stored) == 'string' and #stored <= 8192 and stored or ''
    -- First tries the companion that a release leaves, then any other.
    last_fence, window = string.match(stored, '^\n\n0\n(%d*)\n0\n0\n0\n0\n%d*\n%l*\n\n\n(\n.*)$')
    if not last_fence then last_fence, window =
      string.match(stored, '^[^\n]*\n[^\n]*\n%d*\n(%d*)\n%d*\n%d*\n%d*\n%d*\n%d*\n%l*\n[^\n]*\n[^\n]*\n[^\n]*(.*)$') end
  end
  local time = read_time()
  -- Numbers remain strings, because formatting one costs as much as a command.
  local fence = time[1] .. (#time[2] == 6 and time[2] or string.rep('0', 6 - #time[2]) .. time[2])
  if last_fence and (last_fence == '' or #last_fence == 16 and last_fence < fence)
    and not is_open(window) and can_append_request(window, ARGV[3], time[1]) then
    local now_ms = string.sub(fence, 1, 13)
    local token, lease_ms = ARGV[1], ARGV[2]
    store_hold_now(token, lease_ms)
    -- `since` is empty because the hold began at the first 13 digits of the fence.
    redis.call('SET', KEYS[2], token .. '\n\n1\n' .. fence .. '\n\n' .. lease_ms
      .. '\n0\n0\n1\n' .. FORMAT .. '\n' .. ARGV[6] .. window .. '\n' .. ARGV[3]
      .. (ARGV[4] == '-' and string.find(token, '^%x') and '\t' or '\tacquire\t' .. ARGV[4] .. '\t' .. fence .. '\t' .. now_ms),
      'PX', ARGV[7])
    redis.pcall('PUBLISH', ARGV[5], 'acquired\t' .. now_ms .. '\t' .. fence .. '\t1\t1\t\t'
      .. string.match(ARGV[6], '^[^\n]*') .. '\t\n' .. KEYS[1])
    return 'granted\t' .. now_ms .. '\t1\t' .. fence .. '\t' .. lease_ms .. '\t' .. lease_ms .. '\t' .. token .. '\tacquired'
  end
end
