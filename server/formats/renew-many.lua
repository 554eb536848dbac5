-- Renews many holds of one caller, each as renew.lua does.
--
-- Guarantee: the guarantee of renew.lua for each hold. An error affects only the reply for its own hold. A repeated
-- call changes only the leases, so no request id is needed.
--
-- KEYS    of each hold in turn: the lock, its companion, and for a semaphore its acquired permits
-- ARGV    the channel for events, the principal or '', and of each hold in turn: token, fence, lease in ms ('' for its own)
--
-- Returns the replies of renew.lua in that order, or an error if the server refuses all writes

local given_keys, given = KEYS, ARGV
local KEYS, ARGV

-- Included here so that these functions are created once per script and not once per hold.
-- include format/storage.lua
-- include request-window.lua
-- include release-requests.lua
-- include verb-error.lua

-- include renew.lua as function renew

local holds = (#given - 2) / 3
local keys_per_hold = #given_keys / holds

local replies = {}
for n = 1, holds do
  KEYS = { unpack(given_keys, (n - 1) * keys_per_hold + 1, n * keys_per_hold) }
  ARGV = { given[3 * n], given[3 * n + 1], given[2], given[3 * n + 2], '', '-', given[1], '', '' }
  local ran, reply = pcall(renew)
  if not ran or type(reply) == 'table' and reply.err then
    reply = to_error(reply)
    -- The server has become a replica. ioredis reconnects only if the whole call returns an error.
    if string.find(reply.err, '^READONLY ') then return reply end
  end
  replies[n] = reply
end
return replies
