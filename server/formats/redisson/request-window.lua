-- Shared by the scripts of this folder: the last requests of a key, so that a repeated request is answered
-- and not carried out again. One entry a line: id, verb, digest of the request, fence of its hold, time in ms.
--
-- Many entries of the last seconds, in which our own repetitions come after a lost reply; few older ones, up to two
-- minutes: longer than the longest request that is held open, and its retry. A request that may have been pushed out
-- is neither answered nor carried out again.

local FRESH_MS = 5000
local FRESH_MAX = 32
local OLD_MAX = 8
local WINDOW_AGE_MS_MAX = 120000

local function find_request(window, id)
  for entry in string.gmatch(window or '', '[^\n]+') do
    local entry_id, verb, digest, fence = string.match(entry, '^(.-)\t(.-)\t(.-)\t(.-)\t')
    if entry_id == id then return { verb = verb, digest = digest, fence = fence } end
  end
  return nil
end

local function sorted_by_age(window, now_ms)
  local old, fresh = {}, {}
  for entry in string.gmatch(window or '', '[^\n]+') do
    local at = tonumber(string.match(entry, '\t(%d+)$') or '0')
    if now_ms - at < FRESH_MS then fresh[#fresh + 1] = { entry, at }
    elseif now_ms - at < WINDOW_AGE_MS_MAX then old[#old + 1] = { entry, at } end
  end
  return old, fresh
end

-- Whether an entry made after the moment may have been pushed out by others.
local function may_be_forgotten(window, now_ms, since_ms)
  local old, fresh = sorted_by_age(window, now_ms)
  return #fresh >= FRESH_MAX and fresh[1][2] >= since_ms or #old >= OLD_MAX and old[1][2] >= since_ms
end

-- The window with one more entry, without those that are too old or too many.
local function remember_request(window, id, verb, digest, fence, now_ms)
  local old, fresh = sorted_by_age(window, now_ms)
  fresh[#fresh + 1] = { table.concat({ id, verb, digest, fence, string.format('%.0f', now_ms) }, '\t'), now_ms }
  local entries = {}
  for i = math.max(1, #old - OLD_MAX + 1), #old do entries[#entries + 1] = old[i][1] end
  for i = math.max(1, #fresh - FRESH_MAX + 1), #fresh do entries[#entries + 1] = fresh[i][1] end
  return table.concat(entries, '\n')
end
