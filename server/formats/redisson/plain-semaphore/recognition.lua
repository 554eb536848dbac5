-- Included by acquire.lua for a plain semaphore. The number of permits that Redisson's clients have is unknown, and so
-- is the total. A limit is therefore used only to create a missing semaphore, and is not compared with an existing
-- semaphore.

local KIND, OTHER_KIND = 'plain_semaphore', 'semaphore'

-- Any integer is a plain semaphore.
local function is_recognized(_available, _acquired, _last, _limit)
  return true
end

local function find_limit_conflict(_available, _acquired, _limit, _permits)
  return nil
end

-- The total is unknown.
local function format_total(_available, _acquired)
  return ''
end
