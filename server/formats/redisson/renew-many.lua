-- Prolongs many holds of one process at once: what a watchdog does every third of a lease.
--
-- Guarantee: as renew.lua for each; and a hold of ours only as long as it is the very one, by its fence.
-- Repeating it changes nothing but the lease, so it needs no request id.
--
-- KEYS[2n-1] a lock (hash: owner -> count)      KEYS[2n] its companion
-- ARGV[1] channel for events, then for each hold four:
--   owner, fence or '', lease in ms, the key itself as bytes
--
-- Returns {now ms, remaining ms of each or '-1' where the hold is gone}

-- include shape.lua

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local reply = { integer(now_ms) }

for n = 1, #KEYS / 2 do
  local i, j, at = 2 * n - 1, 2 * n, 4 * n - 2
  local owner, fence, lease_ms = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
  local count = redis.pcall('HGET', KEYS[i], owner)
  local told = facts(redis.pcall('HMGET', KEYS[j], 'owner', 'fence', 'seq'))
  local present_fence = told[1] == owner and fence_of(told[2]) or ''
  local remaining_ms = -1
  if type(count) == 'string' and present_fence == fence then
    remaining_ms = redis.call('PTTL', KEYS[i])
    if remaining_ms < lease_ms then
      remaining_ms = lease_ms
      redis.call('PEXPIRE', KEYS[i], ARGV[at + 2])
    end
    if fence ~= '' then
      local seq = integer(whole(told[3]) + 1)
      redis.call('HSET', KEYS[j], 'seq', seq)
      redis.call('PEXPIRE', KEYS[j], integer(remaining_ms + math.max(600000, 2 * lease_ms)))
      redis.pcall('PUBLISH', ARGV[1], table.concat(
        { 'renewed', integer(now_ms), fence, seq, count, '', owner, '' }, '\t') .. '\n' .. ARGV[at + 3])
    end
  end
  reply[#reply + 1] = integer(remaining_ms)
end
return reply
