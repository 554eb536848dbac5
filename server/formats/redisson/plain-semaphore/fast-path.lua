-- A plain semaphore has no fast path. Its verbs use acquire.lua and release.lua of the expirable semaphore.

local FORMAT = 'redisson'

-- include ../../no-fast-path.lua
