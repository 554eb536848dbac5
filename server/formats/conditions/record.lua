-- Shared by the scripts of conditions and acquire.lua: the record of a client that waits for a condition of a lock. The
-- record is one value of a hash, and stores the state of the wait and of the hold that the client has given up:
--
--   state ⇥ condition ⇥ number ⇥ bound ⇥ since ms ⇥ count ⇥ lease ms ⇥ grace ms ⇥ digest
--   ⏎ owner ⏎ principal ⏎ record
--
-- States: `waiting` for a signal; `signalled`; `stopped`: the wait ended without a signal; `expired`: removed from the
-- order because its client was silent. In every state except `waiting`, the client may re-acquire the lock, which
-- removes the record. `number` orders the waiters of a condition. If a signalled waiter does not re-acquire the lock,
-- its signal passes to the next waiter with a number up to `bound`, which was already waiting when the signal was sent.
-- `since` is when the waiter stopped waiting; '' until then.
--
-- Any client can write the hash, so a record that does not parse counts as missing.

local RECORD = '^(%l+)\t([%w._-]+)\t(%d+)\t(%d*)\t(%d*)\t(%d+)\t(%d+)\t(%d+)\t([^\t\n]*)\n([^\n]*)\n([^\n]*)\n([^\n]*)$'
local RECORD_BYTES_MAX = 8192

-- Returns the waiter with this id; nil if there is none. KEYS[k] is the hash of records.
local function find_condition_waiter(k, id)
  local text = read_field(k, id, RECORD_BYTES_MAX)
  if not text then return nil end
  local state, name, number, bound, since, count, lease, grace, digest, owner, principal, record = string.match(text, RECORD)
  count = parse_whole(count)
  if count < 1 then return nil end
  return { id = id, state = state, name = name, number = number, bound = bound, since = since, count = count,
    lease = parse_whole(lease), grace = parse_whole(grace), digest = digest, owner = owner, principal = principal, record = record }
end
