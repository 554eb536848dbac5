-- Shared by the scripts of this folder: what makes a hash a lock, and whose it is.
--
-- A hash is a lock when every field is `<uuid>:<number>` (also with `:write`), the field `mode` of a
-- read/write lock, or the owner that our companion names. Anything else is somebody's data.

-- More fields than any lock has holders in practice; a larger hash is somebody's data and is not read.
local FIELDS_MAX = 64

local HEX4 = '%x%x%x%x'
local REDISSON_OWNER = '^' .. HEX4 .. HEX4 .. '%-' .. HEX4 .. '%-' .. HEX4 .. '%-' .. HEX4 .. '%-'
  .. HEX4 .. HEX4 .. HEX4 .. ':%d+'

local function is_owner(field, companion_owner)
  if companion_owner and field == companion_owner then return true end
  local _, last = string.find(field, REDISSON_OWNER)
  return last ~= nil and (last == #field or string.sub(field, last + 1) == ':write')
end

-- Flat field/value list -> true when all of it is a lock's.
local function is_lock(fields, companion_owner)
  for i = 1, #fields, 2 do
    if fields[i] ~= 'mode' then
      if not is_owner(fields[i], companion_owner) then return false end
      if not string.find(fields[i + 1], '^[1-9]%d*$') then return false end
    end
  end
  return true
end

local function is_wrong_type(failure)
  return string.find(failure.err or '', 'WRONGTYPE', 1, true) ~= nil
end

local function integer(number)
  return string.format('%.0f', number)
end

local function waiter_name(request_id, since, owner)
  return table.concat({ request_id, since, owner }, '\t')
end
