-- A semaphore has no fast path: acquire.lua and release.lua of this folder take and return its permits.

local FORMAT = 'redisson'

-- include ../../no-fast-path.lua
