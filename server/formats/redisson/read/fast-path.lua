-- A read lock has no fast path, because the leases of the readers have to be read.

local FORMAT = 'redisson'

-- include ../../no-fast-path.lua
