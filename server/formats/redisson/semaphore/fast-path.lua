-- A semaphore has no fast path: acquire.lua and release.lua of this folder take and return its permits.

local FORMAT = 'redisson'

-- include ../../fast-path/window.lua

local function is_free()
  return false
end

local function store_hold_now(_token, _lease_ms) end

local function is_held_once(_token)
  return false
end

local function remove_hold_now(_token) end
