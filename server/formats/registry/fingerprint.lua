-- Computes a digest of each key, so that a change of a key can be detected without reading its auxiliary keys. Changes
-- nothing.
--
-- KEYS the keys
-- ARGV[1] maximum bytes of a string, ARGV[2] maximum members of other types and ARGV[3] maximum bytes of those members, for
-- content that is digested
--
-- Returns two elements for each key: its deadline on the Redis clock in ms (-1: none, -2: no key), and a digest of its type,
-- size and content. If the content is too large, the digest covers only the type and size.

-- include measure.lua

local bytes_max, members_max, content_bytes_max = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
-- Number of hexadecimal digits of a digest. 40 bits are enough to distinguish two states of one key.
local DIGEST_LENGTH = 10

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local function join_content(n, size, read)
  if size > members_max then return size .. ' left out' end
  local bytes = measure_bytes(n, 0)
  if bytes < 0 or bytes > content_bytes_max then return size .. ' left out ' .. bytes end
  return table.concat(read(), '\n')
end

local function summarize(n, kind)
  if kind == 'string' then
    return redis.call('STRLEN', KEYS[n]) .. ' ' .. redis.call('GETRANGE', KEYS[n], 0, bytes_max - 1)
  elseif kind == 'hash' then
    return join_content(n, redis.call('HLEN', KEYS[n]), function() return redis.call('HGETALL', KEYS[n]) end)
  elseif kind == 'set' then
    return join_content(n, redis.call('SCARD', KEYS[n]), function() return redis.call('SMEMBERS', KEYS[n]) end)
  elseif kind == 'zset' then
    return join_content(n, redis.call('ZCARD', KEYS[n]), function()
      return redis.call('ZRANGE', KEYS[n], 0, -1, 'WITHSCORES')
    end)
  end
  return ''
end

local summaries = {}
for n = 1, #KEYS do
  local kind = redis.call('TYPE', KEYS[n]).ok
  local remaining_ms = redis.call('PTTL', KEYS[n])
  summaries[2 * n - 1] = remaining_ms < 0 and remaining_ms or now_ms + remaining_ms
  summaries[2 * n] = string.sub(redis.sha1hex(kind .. '\n' .. summarize(n, kind)), 1, DIGEST_LENGTH)
end
return summaries
