-- Shared by the verbs: the request window, which contains the last requests for a key. A repeated request returns its
-- first result and is not executed again. Entries are `⏎ id ⇥ verb ⇥ digest of the request ⇥ fence of its hold ⇥ time
-- in ms`, oldest first, at the end of the companion. The window is searched without splitting it, because every call on
-- a busy lock searches it.
--
-- A request with the digest `-` can be repeated only by its own client, with the same token and fence. Its entry has no
-- fence. If the last entry is such an acquire, the entry is open: it consists of `⏎ id ⇥`, and the next entry completes
-- it. Most companions of held locks have only an open entry.
--
-- Entries are kept for two minutes, which is longer than any open request and its retries, and up to about 2 KB in
-- total. Removing entries leaves a mark, which is an entry without an id and with the time of the last removed entry. A
-- request whose entry may have been removed gets no stored result and is not executed again.

local WINDOW_AGE_MS_MAX = 120000
local WINDOW_BYTES_MAX = 2048
local WINDOW_BYTES_CUT = 1024
local WINDOW_BYTES_HELD = 512

local function find_request(window, id)
  local at = string.find(window, '\n' .. id .. '\t', 1, true)
  if not at then return nil end
  local verb, digest, fence = string.match(window, '^([^\t\n]*)\t([^\t\n]*)\t([^\t\n]*)\t', at + #id + 2)
  if verb then return { verb = verb, digest = digest, fence = fence } end
  return at + #id + 1 == #window and { verb = 'acquire', digest = '-', fence = '' } or nil
end

-- Whether the acquire granted the hold that the companion describes. Tokens are not reused, except those of reservations,
-- whose entries have a fence.
local function is_acquire_of(entry, kept, token)
  if entry.verb ~= 'acquire' then return false end
  if entry.fence == '' then return kept.token == token end
  return entry.fence == kept.fence
end

-- Whether the entry of an acquire may be open.
local function may_be_open(verb, digest, token)
  return verb == 'acquire' and digest == '-' and string.find(token, '^%x') ~= nil
end

-- Returns the window with its last entry completed. If the companion does not describe the hold of that entry, its time
-- is unknown, so the entry is kept for longer.
local function complete_last_entry(kept, now_ms)
  if string.sub(kept.window, -1) ~= '\t' then return kept.window end
  local made_ms = kept.token ~= '' and kept.since > 0 and kept.since or now_ms
  return kept.window .. 'acquire\t-\t\t' .. string.format('%.0f', made_ms)
end

-- Returns the window without its expired entries, which come first. Takes one pass, because any client can write a
-- companion with thousands of entries.
local function drop_old_entries(window, now_ms)
  local at = 1
  while at <= #window do
    local made_ms = tonumber(string.match(window, '^\n[^\n]*\t(%d+)', at) or '0')
    if now_ms - made_ms < WINDOW_AGE_MS_MAX then break end
    at = string.find(window, '\n', at + 1, true) or #window + 1
  end
  return string.sub(window, at)
end

-- Whether an entry that was added after this time may have been removed.
local function may_be_forgotten(window, since_ms)
  local cut_at = string.match(window, '^\n\tcut\t\t\t(%d+)')
  return cut_at and tonumber(cut_at) >= since_ms
end

-- Finds the requests that acquired the hold that the companion describes. They may need to be withdrawn as long as the
-- hold exists.
local function find_acquire_entries(window, kept)
  local entries = ''
  local since = string.format('%.0f', kept.since)
  for entry, fence, made in string.gmatch(window, '(\n[^\t\n]+\tacquire\t[^\t\n]*\t(%d*)\t(%d+))') do
    local is_its = fence == kept.fence or fence == '' and made == since
    if is_its and #entries + #entry < WINDOW_BYTES_HELD then entries = entries .. entry end
  end
  return entries
end

-- Adds an entry to the window, and removes expired entries and entries above the size limit.
local function remember_request(kept, id, verb, digest, fence, now_ms)
  local window = drop_old_entries(complete_last_entry(kept, now_ms), now_ms)
  if #window > WINDOW_BYTES_MAX then
    local cut = string.find(window, '\n', #window - WINDOW_BYTES_CUT, true) or #window + 1
    local cut_at = string.match(string.sub(window, 1, cut - 1), '\t(%d+)$') or '0'
    local held = kept.token ~= '' and find_acquire_entries(string.sub(window, 1, cut - 1), kept) or ''
    window = '\n\tcut\t\t\t' .. cut_at .. held .. string.sub(window, cut)
  end
  if may_be_open(verb, digest, kept.token) then
    kept.window = window .. '\n' .. id .. '\t'
    return
  end
  kept.window = window .. '\n' .. table.concat({ id, verb, digest, fence, string.format('%.0f', now_ms) }, '\t')
end

-- Marks a request as withdrawn, regardless of whether it was executed.
local function withdraw_request(kept, id, now_ms)
  local entry = '\n' .. id .. '\t'
  local at = string.find(kept.window, entry, 1, true)
  if not at then return remember_request(kept, id, 'withdrawn', '-', '', now_ms) end
  local behind_id = at + #entry
  kept.window = complete_last_entry(kept, now_ms)
  kept.window = string.sub(kept.window, 1, behind_id - 1) .. 'withdrawn' .. string.match(kept.window, '^[^\t]*(.*)$', behind_id)
end
