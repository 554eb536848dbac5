-- Shared by acquire.lua and set-limit.lua: recognizes an expirable semaphore, whose total is the sum of the available
-- and the acquired permits.

local KIND, OTHER_KIND = 'semaphore', 'plain_semaphore'

-- Whether an existing number is a semaphore. `last` is the companion of the key.
local function is_recognized(available, acquired, last, limit)
  return acquired > 0 or last.value == KIND or available == limit
end

-- Returns the total if the limit in the request differs from it; otherwise nil.
local function find_limit_conflict(available, acquired, limit, permits)
  local total = available + acquired
  return (limit and limit ~= total or permits > total) and total or nil
end

-- Formats the total for a reply.
local function format_total(available, acquired)
  return format_integer(available + acquired)
end
