-- A semaphore has no fast path: acquire.lua and release.lua of this folder acquire and return its permits.

local FORMAT = 'redisson'

-- include ../../no-fast-path.lua
