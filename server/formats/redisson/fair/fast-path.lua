-- A fair lock has no fast path, because its queue has to be read.

local FORMAT = 'redisson'

-- include ../../no-fast-path.lua
