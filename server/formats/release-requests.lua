-- Shared by the verbs: functions that read and write the release request of a hold. The record line of its companion
-- ends with this field if its client reads release requests:
--
--   "releaseRequest":0}                                      no request
--   "releaseRequest":["id","state",requested at in ms,"by","reason","text of the response" or null]}
--
-- Scripts of version 0.2.0 store the line unchanged, and its readers ignore the field. The field is cleared with the
-- hold. Strings are JSON, so quotes in them are escaped, and no string contains the name of the field with its quotes.

local REQUEST_FIELD = '"releaseRequest":'
-- Maximum length of a companion with a release request and without its request window. Leaves room for the window and
-- the response.
local REQUESTED_BYTES_MAX = 5120

-- Returns the release request in a record line as JSON; '' if there is no request; nil if the client does not read
-- requests. Also returns the position of the value.
local function find_release_request(record)
  local _, last = string.find(record, REQUEST_FIELD, 1, true)
  if not last or string.sub(record, -1) ~= '}' then return nil end
  local value = string.sub(record, last + 1, -2)
  if value == '0' then return '', last + 1 end
  return string.sub(value, 1, 1) == '[' and value or nil, last + 1
end

-- Returns the release request as JSON for a reply; '' if there is no request.
local function format_release_request(kept)
  return find_release_request(kept.record) or ''
end

local function store_release_request(kept, value_at, request)
  kept.record = string.sub(kept.record, 1, value_at - 1) .. request .. '}'
end

-- Returns the id of a request and its state.
local function parse_release_request(request)
  return string.match(request, '^%["([%w_-]+)","(%l+)",')
end

-- Records that the client reads release requests from now on.
local function declare_release_requests(kept)
  if kept.token == '' or find_release_request(kept.record) then return end
  local fields = string.match(kept.record, '^{(.*)}$') or ''
  kept.record = '{' .. fields .. (fields ~= '' and ',' or '') .. REQUEST_FIELD .. '0}'
end

-- Publishes an unanswered release request to the library client that holds the lock.
local function publish_release_request(kept)
  local request = format_release_request(kept)
  if request == '' then return end
  local _, state = parse_release_request(request)
  local client = string.match(kept.token, '^([%x-]+):%d+$') or string.match(kept.token, '^([%x-]+):%d+:write$')
  if state ~= 'requested' or not client then return end
  redis.pcall('PUBLISH', 'lockkeeper:client:' .. client,
    'release_requested\t' .. kept.fence .. '\t' .. kept.token .. '\t' .. request)
end
