-- A semaphore has no fast path: acquire.lua and release.lua of an expirable semaphore run on it.

local FORMAT = 'redisson'

-- include ../../no-fast-path.lua
