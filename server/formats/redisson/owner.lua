-- Shared by the scripts: recognizes the fields of Redisson's locks.

-- include ../bounds.lua

-- Whether a field names a holder: `<uuid>:<number>`, optionally with `:write`, or the owner of a reservation. The
-- number is any Java long, so it can be negative.
local function is_owner(field)
  if #field > VALUE_BYTES_MAX then return false end
  if string.find(field, '^lockkeeper:reserve:') then return true end
  local hex4 = '%x%x%x%x'
  local _, last = string.find(field, '^' .. hex4 .. hex4 .. '%-' .. hex4 .. '%-' .. hex4 .. '%-' .. hex4 .. '%-'
    .. hex4 .. hex4 .. hex4 .. ':%-?%d+')
  return last ~= nil and (last == #field or string.sub(field, last + 1) == ':write')
end
