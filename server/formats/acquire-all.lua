-- Acquires several free locks of one slot, or none of them.
--
-- Guarantee: every lock is checked before any lock changes. If an acquire fails after that, the script withdraws the
-- holds that it has already granted, so no client ever sees only some of the locks acquired. A repeated request id
-- returns the holds that were granted to it.
--
-- KEYS: for each lock in turn, the four keys of acquire.lua
-- ARGV[1] lease in ms    ARGV[2] request id    ARGV[3] digest of the request    ARGV[4] channel for events
-- ARGV[5] owner, principal and owner record, as in acquire.lua    ARGV[6] TTL of the companions, in ms
-- ARGV[7] '' or how long the client will wait, in ms    ARGV[8] '' or when the client began to wait, in ms
-- ARGV[9] maximum number of waiters of a lock    ARGV[10] '' or time since the request was first sent, in ms
-- ARGV[11] grace period, in ms    ARGV[12] minimum hold time, in ms    ARGV[13] 's' or 'ms', the unit of a deadline
-- ARGV[14] '' or how long the client gives way to the longest waiter after a release, in ms
-- ARGV[15] id of the client in the lists of waiters
-- ARGV[16] '' or the number of the lock whose list of waiters already contains the client
-- Then the token of each lock in turn
--
-- Returns {'granted', reply of acquire.lua for each lock in turn}
--         {'refused', number of the lock, its reply}    nothing was acquired

local lease_ms, request_id, digest, channel, owner_lines, companion_ms = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local wait_ms, since, waiters_max, sent_ms = ARGV[7], ARGV[8], ARGV[9], ARGV[10]
local grace_ms, least_ms, unit, give_way_ms = ARGV[11], ARGV[12], ARGV[13], ARGV[14]
local waiter_id, listed = ARGV[15], ARGV[16]
local tokens = { unpack(ARGV, 17) }
local given_keys = KEYS
local KEYS, ARGV

-- include acquire.lua as function acquire
-- include release.lua as function release
-- include verb-error.lua

local KEYS_EACH = 4
local principal = string.match(owner_lines, '\n([^\n]*)\n')

local function run_acquire(i, mode, waits_ms)
  local first = (i - 1) * KEYS_EACH + 1
  KEYS = { unpack(given_keys, first, first + KEYS_EACH - 1) }
  ARGV = { tokens[i], lease_ms, request_id, digest, channel, owner_lines, companion_ms, waits_ms, since, waiters_max, sent_ms,
    grace_ms, least_ms, unit, give_way_ms, mode, waiter_id }
  return acquire()
end

-- Withdraws a hold that this script granted. No client has seen that hold, so no waiter is woken.
local function withdraw(i)
  local first = (i - 1) * KEYS_EACH + 1
  KEYS = { given_keys[first], given_keys[first + 1] }
  ARGV = { tokens[i], '', principal, 'back:' .. request_id, '-', '', channel, request_id, '', '', '', '', '' }
  pcall(release)
end

local function format_refusal(i, reply)
  return { 'refused', string.format('%d', i), reply }
end

local replies, blocked = {}, nil
for i = 1, #tokens do
  local reply = run_acquire(i, 'check', '')
  if reply.err then return reply end
  replies[i] = reply
  if reply[1] == 'held' then
    blocked = blocked or i
  elseif reply[1] ~= 'free' and reply[1] ~= 'granted' then
    return format_refusal(i, reply)
  end
end

if blocked then
  local reply = replies[blocked]
  if wait_ms ~= '' then
    reply = run_acquire(blocked, listed == string.format('%d', blocked) and 'wait' or 'join', wait_ms)
  end
  return reply.err and reply or format_refusal(blocked, reply)
end

local acquired = {}
for i = 1, #tokens do
  if replies[i][1] == 'free' then
    local ran, reply = pcall(run_acquire, i, '', '')
    local failed = not ran or reply.err
    if failed or reply[1] ~= 'granted' then
      for _, each in ipairs(acquired) do withdraw(each) end
      return failed and to_error(reply) or format_refusal(i, reply)
    end
    replies[i] = reply
    acquired[#acquired + 1] = i
  end
end
return { 'granted', unpack(replies) }
