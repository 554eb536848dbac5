-- The plain case of release.lua, at the least cost: the only count of a hold of ours, without a least time to be held,
-- and the request is new. Whatever is not so plain goes on below, where everything is said that this leaves out. It does
-- to the letter what release.lua does: a property test compares the two.
--
-- KEYS[1] the lock    KEYS[2] its companion
-- ARGV[1] owner    ARGV[2] request id    ARGV[3] digest of the request
-- ARGV[4] channel that waiters listen on    ARGV[5] channel for events    ARGV[6] '' or the principal that asks

-- include format/fast-path.lua

local stored = #ARGV <= 6 and redis.pcall('GET', KEYS[2])
if type(stored) == 'string' then
  local owner = ARGV[1]
  -- Owner, value and count of the companion: told by us, and once.
  local head = owner .. '\n' .. format_value(owner) .. '\n1\n'
  local fence, since, seq, format, principal, window
  if string.sub(stored, 1, #head) == head then
    -- Without a grace and a least time.
    fence, since, seq, format, principal, window =
      string.match(stored, '^(%d+)\n(%d+)\n%d+\n0\n0\n(%d+)\n(%l+)\n[^\n\t]*\t?([^\n]*)(.*)$', #head + 1)
  end
  local time = redis.call('TIME')
  if format == FORMAT and #fence == 16 and #since == 13 and #seq < 7 and (principal == '' or principal == ARGV[6])
    and can_append_request(window, ARGV[2], time[1]) and is_held_once(owner) then
    local now_ms = time[1] .. string.sub(#time[2] == 6 and time[2] or string.rep('0', 6 - #time[2]) .. time[2], 1, 3)
    remove_hold_now(owner)
    seq = seq == '1' and '2' or seq + 1
    redis.call('SET', KEYS[2], '\n\n0\n' .. fence .. '\n0\n0\n0\n0\n' .. seq .. '\n' .. FORMAT .. '\n' .. window
      .. '\n' .. ARGV[2] .. '\trelease\t' .. ARGV[3] .. '\t' .. fence .. '\t' .. now_ms, 'KEEPTTL')
    redis.pcall('PUBLISH', ARGV[5], 'released\t' .. now_ms .. '\t' .. fence .. '\t' .. seq .. '\t0\t'
      .. since .. '\t' .. owner .. '\t\n' .. KEYS[1])
    redis.pcall('PUBLISH', ARGV[4], '0')
    return 'released\t' .. now_ms .. '\t0\t' .. fence
  end
end
