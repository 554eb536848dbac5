-- A lock whose value is its end: deadlines have to be reckoned, so nothing of it is plain.

local FORMAT = 'timestamp'

-- include ../plain/window.lua

local function is_free()
  return false
end

local function take_now(_owner, _lease_ms) end

local function value_of(_owner)
  return ''
end

local function is_held_once(_owner)
  return false
end

local function free_now(_owner) end
