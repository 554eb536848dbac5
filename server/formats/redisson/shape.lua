-- Shared by the scripts of this folder: what makes a hash a lock, and whose it is.
--
-- A hash is a lock when every field is `<uuid>:<number>` (also with `:write`), the field `mode` of a
-- read/write lock, or the owner that our companion names. Anything else is somebody's data.

-- More fields than any lock has holders in practice; a larger hash is somebody's data and is not read.
local FIELDS_MAX = 64

-- A longer owner is nobody's; what is a lock goes to every open page.
local OWNER_BYTES_MAX = 1024
-- More digits are not counted on exactly.
local COUNT_DIGITS_MAX = 15

local HEX4 = '%x%x%x%x'
local REDISSON_OWNER = '^' .. HEX4 .. HEX4 .. '%-' .. HEX4 .. '%-' .. HEX4 .. '%-' .. HEX4 .. '%-'
  .. HEX4 .. HEX4 .. HEX4 .. ':%d+'

local function is_owner(field, companion_owner)
  if companion_owner and companion_owner ~= '' and field == companion_owner then return true end
  if #field > OWNER_BYTES_MAX then return false end
  local _, last = string.find(field, REDISSON_OWNER)
  return last ~= nil and (last == #field or string.sub(field, last + 1) == ':write')
end

local function is_count(value)
  return #value <= COUNT_DIGITS_MAX and string.find(value, '^[1-9]%d*$') ~= nil
end

-- Flat field/value list -> the value of a field, or nil.
local function value_of(fields, name)
  for i = 1, #fields, 2 do
    if fields[i] == name then return fields[i + 1] end
  end
  return nil
end

-- Flat field/value list -> true when all of it is a lock's, and somebody holds it.
local function is_lock(fields, companion_owner)
  local holders = 0
  for i = 1, #fields, 2 do
    if fields[i] ~= 'mode' then
      if not is_owner(fields[i], companion_owner) or not is_count(fields[i + 1]) then return false end
      holders = holders + 1
    end
  end
  return holders > 0 or #fields == 0
end

-- A lock of ours that has lost its companion (evicted, or deleted by hand): one field, the owner who asks, with a
-- time to live. Only its own renewal and release may take it for a lock; they create nothing.
local function is_orphan(fields, owner, remaining_ms)
  return #fields == 2 and fields[1] == owner and is_count(fields[2]) and remaining_ms > 0
end

local function is_wrong_type(failure)
  return string.find(failure.err or '', 'WRONGTYPE', 1, true) ~= nil
end

-- Fields of the companion; none when somebody made something else of it.
local function facts(reply)
  return reply.err and {} or reply
end

local function integer(number)
  return string.format('%.0f', number)
end

-- A whole number that Lua holds exactly; anybody may have written what is read here.
local function whole(text)
  local number = tonumber(text or '') or 0
  if number ~= number or number < 0 or number >= 9007199254740992 then return 0 end
  return math.floor(number)
end

-- A fence as it was handed out, or '' for anything else.
local function fence_of(text)
  return whole(text) > 0 and string.find(text, '^%d+$') and text or ''
end

local function waiter_name(request_id, since, owner)
  return table.concat({ request_id, since, owner }, '\t')
end
