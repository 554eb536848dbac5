-- Shared by the verbs: the companion of a lock, which stores what the format of the lock cannot. The companion is a
-- single string, so that one command reads it and one command writes it with its TTL:
--
--   token ⏎ value ⏎ count ⏎ fence ⏎ since ms ⏎ lease ms ⏎ grace ms ⏎ minimum hold ms ⏎ seq ⏎ format
--   ⏎ owner ⏎ principal ⏎ record ⏎ request ⏎ …
--
-- The token identifies the hold. `value` is the content of the lock's key if that content is not the token
-- (`timestamp`), or the kind of the lock if the kind is not `lock`. `since` is empty if it equals the first 13 digits
-- of the fence, as for most holds. `owner` is a display label; no script compares it. All fields except fence and
-- requests describe one hold, and read_state clears these fields once the lock does not contain that hold. Any client
-- can write this key, so a companion that does not parse, or that is longer than any that the verbs write, counts as
-- missing.

local COMPANION = '^([^\n]*)\n([^\n]*)\n(%d*)\n(%d*)\n(%d*)\n(%d*)\n(%d*)\n(%d*)\n(%d*)\n(%l*)\n([^\n]*)\n([^\n]*)\n([^\n]*)(.*)$'
-- Large enough for the longest owner, principal and record with a full request window
-- (companion-size.integration.test.ts).
local COMPANION_BYTES_MAX = 8192
-- Minimum time by which a companion outlives its hold. Covers repeated requests and clock steps.
local COMPANION_MS_MIN = 600000

-- include event.lua

-- Returns the start of a hold from its fencing token, which is the server time of the grant in microseconds unless an
-- earlier token was larger.
local function derive_since(fence)
  return #fence == 16 and string.sub(fence, 1, 13) or ''
end

local function parse_companion(text)
  local token, value, count, fence, since, lease, grace, least, seq, format, owner, principal, record, window =
    string.match(text, COMPANION)
  if not token then
    return { token = '', value = '', count = 0, fence = '', since = 0, lease = 0, grace = 0, least = 0, seq = 0,
      format = '', owner = '', principal = '', record = '', window = '' }
  end
  if since == '' then since = derive_since(fence) end
  return { token = token, value = value, count = parse_whole(count), fence = parse_whole(fence) > 0 and fence or '',
    since = parse_whole(since), lease = parse_whole(lease), grace = parse_whole(grace), least = parse_whole(least), seq = parse_whole(seq),
    format = format, owner = owner, principal = principal, record = record, window = window }
end

local function read_companion(k)
  return parse_companion(read_text(k, COMPANION_BYTES_MAX))
end

local function format_companion(kept)
  local since = format_integer(kept.since)
  return table.concat({ kept.token, kept.value, format_integer(kept.count), kept.fence, since ~= derive_since(kept.fence) and since or '',
    format_integer(kept.lease), format_integer(kept.grace), format_integer(kept.least), format_integer(kept.seq), kept.format,
    kept.owner, kept.principal, kept.record }, '\n') .. kept.window
end

-- Whether the companion describes a hold of another format that the lock still contains. `value` is the content of the
-- lock's key. In that case, every verb of this format refuses the key as `not_a_lock`, and changes neither the lock nor
-- the companion.
local function is_hold_of_other_format(kept, value)
  if kept.token == '' or kept.format == FORMAT then return false end
  return value == (kept.format == 'timestamp' and kept.value or kept.token)
end

-- Clears the fields of a hold that the lock does not contain.
local function forget_hold(kept)
  kept.token, kept.value, kept.count, kept.since, kept.lease, kept.grace, kept.least = '', '', 0, 0, 0, 0, 0
  kept.owner, kept.principal, kept.record = '', '', ''
end

-- Describes a new hold in the companion. Its fencing token is larger than all earlier tokens, even if a failover or a
-- restart lost them.
local function begin_hold(kept, token, value, lease_ms, now_us)
  forget_hold(kept)
  kept.token, kept.value, kept.count, kept.lease, kept.seq, kept.format = token, value, 1, lease_ms, 1, FORMAT
  kept.fence = format_integer(math.max(now_us, parse_whole(kept.fence) + 1))
  kept.since = math.floor(now_us / 1000)
end

-- Returns true if the hold exists, false and 'lost' if the hold does not exist, and false and 'not_owner' if another
-- principal acquired the hold. Call this function after read_state or find_count. `count` is nil if the lock does not
-- contain the token.
--
-- Without a companion (evicted or deleted), the token in the lock is sufficient for a client of the library, which has no
-- principal. API callers get 'lost', because the principal of the hold is then unknown.
local function is_hold(kept, count, token, fence, principal)
  if not count then return false, 'lost' end
  if kept.token == '' then return principal == '', 'lost' end
  if kept.token ~= token or kept.fence ~= fence then return false, 'lost' end
  return kept.principal == principal, 'not_owner'
end

-- Returns the TTL of a hold's companion in ms, as a string.
local function compute_companion_ttl_ms(total_ms, lease_ms)
  return format_integer(total_ms + math.max(COMPANION_MS_MIN, 2 * lease_ms))
end

-- Returns the holder's remaining lease in ms, without the grace period; nil if the lock has no TTL.
local function compute_holder_remaining_ms(remaining_ms, kept)
  if remaining_ms < 0 then return nil end
  return math.max(0, remaining_ms - kept.grace - margin_ms)
end

-- Returns the state of a hold: 'held' and its remaining lease in ms (nil: no TTL), 'not_owner', or 'lost'. The
-- arguments come from read_state. An expired lease counts as lost, even during the grace period.
local function assess_hold(kept, state, remaining_ms, count, token, fence, principal)
  local stands, refusal = is_hold(kept, state == 'held' and count or nil, token, fence, principal)
  if not stands then return refusal end
  local left_ms = compute_holder_remaining_ms(remaining_ms, kept)
  if left_ms == 0 then return 'lost' end
  return 'held', left_ms
end

-- Builds the reply of a verb that did nothing because of another hold: the lock's state and its holder.
local function format_holders(outcome, now_ms, remaining_ms, kept, holders)
  local reply = { outcome, format_integer(now_ms), format_integer(remaining_ms),
    kept.token, kept.owner, kept.fence, kept.token ~= '' and format_integer(kept.since) or '', kept.record }
  for i = 1, #holders do reply[#reply + 1] = holders[i] end
  return reply
end
