-- Shared by the verbs: the companion, which has what the lock's own format has no place for. One string, so that it
-- is read and written whole, its time to live included, by one command each:
--
--   owner ⏎ value ⏎ count ⏎ fence ⏎ since ms ⏎ lease ms ⏎ grace ms ⏎ least hold ms ⏎ seq ⏎ format ⏎ record ⏎ entry ⏎ …
--
-- Where a principal acquired the hold, `⇥ principal` follows the record.
-- `owner` to the principal are facts of one hold: they say nothing once `look` finds that it has ended. `value` is what the
-- lock's key holds meanwhile, where the format has one; fence and window outlive the hold. Anybody may have written
-- what is read here: what does not read as a companion is none.

local COMPANION = '^([^\n]*)\n([^\n]*)\n(%d*)\n(%d*)\n(%d*)\n(%d*)\n(%d*)\n(%d*)\n(%d*)\n(%l*)\n([^\n\t]*)\t?([^\n]*)(.*)$'
-- The least time that a companion outlives its hold: enough for repeated requests and steps of the clock.
local COMPANION_MS_MIN = 600000

-- include event.lua

-- A whole number that Lua holds exactly, else 0.
local function parse_whole(text)
  local number = tonumber(text or '') or 0
  if number ~= number or number < 0 or number >= 9007199254740992 then return 0 end
  return math.floor(number)
end

local function parse_companion(text)
  local owner, value, count, fence, since, lease, grace, least, seq, format, record, principal, window =
    string.match(text or '', COMPANION)
  if not owner then
    return { owner = '', value = '', count = 0, fence = '', since = 0, lease = 0, grace = 0, least = 0, seq = 0,
      format = '', record = '', principal = '', window = '' }
  end
  return { owner = owner, value = value, count = parse_whole(count), fence = parse_whole(fence) > 0 and fence or '',
    since = parse_whole(since), lease = parse_whole(lease), grace = parse_whole(grace), least = parse_whole(least), seq = parse_whole(seq),
    format = format, record = record, principal = principal, window = window }
end

local function format_companion(kept)
  return table.concat({ kept.owner, kept.value, format_integer(kept.count), kept.fence, format_integer(kept.since),
    format_integer(kept.lease), format_integer(kept.grace), format_integer(kept.least), format_integer(kept.seq), kept.format,
    kept.principal == '' and kept.record or kept.record .. '\t' .. kept.principal }, '\n') .. kept.window
end

-- The hold that the companion tells of is not the one in the lock.
local function forget_hold(kept)
  kept.owner, kept.value, kept.count, kept.since, kept.lease, kept.grace, kept.least, kept.record = '', '', 0, 0, 0, 0, 0, ''
  kept.principal = ''
end

-- The companion tells of a new hold. Its fence is above all before it, also when a failover or a restart lost those.
local function begin_hold(kept, owner, value, lease_ms, now_us)
  kept.owner, kept.value, kept.count, kept.lease, kept.seq, kept.format = owner, value, 1, lease_ms, 1, FORMAT
  kept.fence = format_integer(math.max(now_us, parse_whole(kept.fence) + 1))
  kept.since, kept.grace, kept.least, kept.record, kept.principal = math.floor(now_us / 1000), 0, 0, '', ''
end

-- Whether somebody else acquired the hold, under the same owner. One that was taken without a principal is of whoever
-- knows its owner.
local function is_other_principal(kept, owner, principal)
  return kept.owner == owner and kept.principal ~= '' and kept.principal ~= principal
end

-- How long the companion of a hold stays.
local function compute_companion_ttl_ms(total_ms, lease_ms)
  return format_integer(total_ms + math.max(COMPANION_MS_MIN, 2 * lease_ms))
end

-- What is left to the holder itself: the lock stays taken for the grace after that. nil: no expiry.
local function compute_holder_remaining_ms(remaining_ms, kept)
  if remaining_ms < 0 then return nil end
  return math.max(0, remaining_ms - kept.grace - margin_ms)
end

local function format_waiter(request_id, since, owner)
  return table.concat({ request_id, since, owner }, '\t')
end
