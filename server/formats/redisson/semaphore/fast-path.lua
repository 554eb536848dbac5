-- A semaphore has no fast path. Its permits are acquired and returned by acquire.lua and release.lua in this folder.

local FORMAT = 'redisson'

-- include ../../no-fast-path.lua
