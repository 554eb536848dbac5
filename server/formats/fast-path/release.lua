-- The fast path of release.lua. It applies if a Lockkeeper hold has count 1, no grace period and no minimum hold time,
-- and the request is new. Every other case continues in release.lua, which includes this file. The effects are exactly
-- the same; a property test compares them.
--
-- KEYS[1] the lock    KEYS[2] its companion
-- ARGV[1] token    ARGV[2] fence    ARGV[3] principal, or ''    ARGV[4] request id    ARGV[5] digest of the request
-- ARGV[6] channel of waiters, or ''    ARGV[7] channel for events

-- include format/fast-path.lua

local stored = #ARGV == 7 and redis.pcall('GETRANGE', KEYS[2], '0', '8192')
if type(stored) == 'string' and #stored <= 8192 then
  local token, fence = ARGV[1], ARGV[2]
  -- The companion's token, value, count and fence must match exactly this hold, with count 1.
  local head = token .. '\n\n1\n' .. fence .. '\n'
  local since, seq, format, owner, principal, window
  -- The companion is compared in place, because Redis hashes each new string of a script byte by byte.
  if #fence == 16 and string.find(stored, head, 1, true) == 1 then
    -- Matches only if there is no grace period and no minimum hold time.
    since, seq, format, owner, principal, window =
      string.match(stored, '^(%d*)\n%d+\n0\n0\n(%d+)\n(%l+)\n([^%c]*)\n([^\n]*)\n[^\n]*(.*)$', #head + 1)
  end
  local time = read_time()
  if since == '' then since = string.sub(fence, 1, 13) end
  local acquired = window and is_open(window) and 'acquire\t-\t\t' .. since or nil
  if format == FORMAT and #since == 13 and #seq < 7 and principal == ARGV[3]
    and can_append_request(window, ARGV[4], time[1], acquired) and remove_hold_now(token) then
    local now_ms = time[1] .. string.sub(#time[2] == 6 and time[2] or string.rep('0', 6 - #time[2]) .. time[2], 1, 3)
    seq = seq == '1' and '2' or seq + 1
    redis.call('SET', KEYS[2], '\n\n0\n' .. fence .. '\n0\n0\n0\n0\n' .. seq .. '\n' .. FORMAT .. '\n\n\n' .. window
      .. (acquired or '') .. '\n' .. ARGV[4] .. '\treleased\t' .. ARGV[5] .. (ARGV[5] == '-' and '\t\t' or '\t' .. fence .. '\t') .. now_ms,
      'KEEPTTL')
    redis.pcall('PUBLISH', ARGV[7], 'released\t' .. now_ms .. '\t' .. fence .. '\t' .. seq .. '\t0\t'
      .. since .. '\t' .. owner .. '\t\n' .. KEYS[1])
    if ARGV[6] ~= '' then redis.pcall('PUBLISH', ARGV[6], '0') end
    return 'released\t' .. now_ms .. '\t0\t' .. fence
  end
end
