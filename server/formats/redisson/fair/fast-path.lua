-- A fair lock has no fast path, because its verbs must read the queue.

local FORMAT = 'redisson'

-- include ../../no-fast-path.lua
