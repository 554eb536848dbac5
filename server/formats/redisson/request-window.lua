-- Shared by the scripts of this folder: the last requests of a key, so that a repeated request is answered
-- and not carried out again. One entry a line: id, verb, digest of the request, fence of its hold, time in ms.
--
-- Eight entries of at most two minutes: longer than the longest request that is held open, and its retry.

local WINDOW_ENTRIES_MAX = 8
local WINDOW_AGE_MS_MAX = 120000

local function find_request(window, id)
  for entry in string.gmatch(window or '', '[^\n]+') do
    local entry_id, verb, digest, fence = string.match(entry, '^(.-)\t(.-)\t(.-)\t(.-)\t')
    if entry_id == id then return { verb = verb, digest = digest, fence = fence } end
  end
  return nil
end

-- The window with one more entry, without those that are too old or too many.
local function remember_request(window, id, verb, digest, fence, now_ms)
  local entries = {}
  for entry in string.gmatch(window or '', '[^\n]+') do
    local at = tonumber(string.match(entry, '\t(%d+)$') or '0')
    if now_ms - at < WINDOW_AGE_MS_MAX then entries[#entries + 1] = entry end
  end
  entries[#entries + 1] = table.concat({ id, verb, digest, fence, string.format('%.0f', now_ms) }, '\t')
  local first = math.max(1, #entries - WINDOW_ENTRIES_MAX + 1)
  return table.concat(entries, '\n', first)
end
