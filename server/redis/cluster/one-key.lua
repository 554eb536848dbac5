-- Prefix for a script with several keys. Only the first key is declared to Redis; the others are arguments.
--
-- A node to which a slot is being migrated refuses calls that name several keys unless all of them exist (TRYAGAIN),
-- and the keys of a free lock do not exist. Such a node accepts one key at a time. Send this prefix only if the source
-- of the migration no longer has any of the lock's keys; the missing keys then do not exist anywhere.
--
-- KEYS[1] the first key
-- ARGV[1] number of other keys    ARGV[2...] the other keys, and then the arguments of the script

local server = redis
local KEYS, ARGV = (function(first, given)
  local keys, arguments = { first }, {}
  for n = 2, #given do
    if n <= tonumber(given[1]) + 1 then keys[n] = given[n] else arguments[#arguments + 1] = given[n] end
  end
  return keys, arguments
end)(KEYS[1], ARGV)

local function one_by_one(call)
  return function(name, ...)
    local named = { ... }
    if name == 'MGET' then
      local values = {}
      for n, key in ipairs(named) do
        local value = server.pcall('GET', key)
        values[n] = type(value) == 'string' and value
      end
      return values
    end
    if #named > 1 and (name == 'DEL' or name == 'EXISTS') then
      local sum = 0
      for _, key in ipairs(named) do sum = sum + call(name, key) end
      return sum
    end
    return call(name, ...)
  end
end

local redis = setmetatable({ call = one_by_one(server.call), pcall = one_by_one(server.pcall) }, { __index = server })

